package io.shardwright.dataplane.postgres.move;

import static io.shardwright.dataplane.postgres.move.KeyMoveIT.row;
import static io.shardwright.dataplane.postgres.move.KeyMoveIT.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.servers.PostgresServer;
import io.shardwright.servers.PostgresServer.Version;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A mover of a key dies before and after each step that only keys have, and another one finishes; the key is written all the time. */
class KeyResumeIT {
    private static final int ROWS = 20;

    private static MovePair pair;

    @BeforeAll
    static void preparePair() {
        PostgresServer server = SharedServers.of(Version.NEWEST);
        pair = MovePair.of(server, server);
    }

    @AfterAll
    static void nothingIsLeft() {
        pair.assertNothingLeft();
    }

    private static long planted(ShopDatabase shard, int bucket) {
        long key = ShopDatabase.keyIn(bucket);
        shard.plant("INSERT INTO orders SELECT " + key + ", n, 'row' FROM generate_series(1, " + ROWS + ") n");
        return key;
    }

    /** The commands that are left to do, as far as the mover lives. */
    private static void move(MoverDriver mover) {
        if (Succession.ok(mover.run(Command.PREPARE)) && Succession.ok(mover.run(Command.VERIFY))) {
            mover.switchOver();
        }
        if (Succession.ok(mover.run(Command.OBSERVE))) {
            mover.run(Command.CLEAN_UP);
        }
    }

    private static void die(MoveTask task, MoverStep step, boolean before) {
        DyingMover dying = new DyingMover(step, before);
        try (MoverDriver mover = new MoverDriver(task, dying)) {
            dying.kills(mover);
            move(mover);
            dying.awaitDeath();
        }
    }

    @Test
    void aKeyThatWasSplitOffIsIsolated() {
        isolate(4, false);
    }

    @Tag("long")
    @Test
    void aKeyThatWasNotSplitOffIsIsolated() {
        isolate(3, true);
    }

    private static void isolate(int bucket, boolean before) {
        long key = planted(pair.here, bucket);
        MoveTask task = pair.ofKeys(key);
        try (LiveLoad load = new LiveLoad(pair, 1, 20, List.of(key))) {
            die(task, MoverStep.SPLIT_KEYS, before);
            KeyMoveIT.move(task);
            assertThat(load.stopAndCompare()).isEmpty();
        }
        assertThat(row(pair.here, "k:" + key)).isEqualTo("MOVED 2 ds-4");
        assertThat(row(pair.here, "b:" + bucket)).isEqualTo("OWNED 1 ds-0 1");
        assertThat(row(pair.there, "k:" + key)).isEqualTo("OWNED 2 ds-4");
    }

    /** From the deletion of its rows on, the databases alone know how far the key has come. */
    @ParameterizedTest
    @CsvSource({"5, DROP_TOMBSTONES, true", "6, DROP_TOMBSTONES, false", "7, FOLD_KEYS, true", "8, FOLD_KEYS, false"})
    void aKeyComesHomeWhicheverRowIsGoneAlready(int bucket, MoverStep step, boolean before) {
        long key = planted(pair.here, bucket);
        KeyMoveIT.move(pair.ofKeys(key));
        MoveTask home = pair.ofKeys(pair.thereAccess(), pair.hereAccess(), key);
        try (LiveLoad load = new LiveLoad(pair, 1, 20, List.of(key))) {
            die(home, step, before);
            try (MoverDriver mover = new MoverDriver(home)) {
                mover.done(Command.CLEAN_UP);
            }
            assertThat(load.stopAndCompare()).isEmpty();
        }
        assertThat(row(pair.here, "k:" + key)).isEqualTo("absent");
        assertThat(row(pair.there, "k:" + key)).isEqualTo("absent");
        assertThat(row(pair.here, "b:" + bucket)).isEqualTo("OWNED 3 ds-0");
        assertThat(rows(pair.there, key)).isZero();
        assertThat(rows(pair.here, key)).isGreaterThanOrEqualTo(ROWS);
    }

    /** After the key has come home an abort takes nothing back: its rows were deleted there. */
    @ParameterizedTest
    @CsvSource("12, FOLD_KEYS")
    void anAbortComesTooLateForAKeyThatHasComeHome(int bucket, MoverStep step) {
        long key = planted(pair.here, bucket);
        KeyMoveIT.move(pair.ofKeys(key));
        MoveTask home = pair.ofKeys(pair.thereAccess(), pair.hereAccess(), key);
        die(home, step, false);
        try (MoverDriver mover = new MoverDriver(home)) {
            mover.run(Command.ABORT);
            mover.run(Command.CLEAN_UP);
        }
        assertThat(row(pair.there, "k:" + key)).isEqualTo("absent");
        assertThat(rows(pair.here, key)).isEqualTo(ROWS);
        OrderRows.write(pair.here, "INSERT INTO orders (tenant_id, note) VALUES (" + key + ", 'home')");
        pair.here.plant("DELETE FROM shardwright.fence WHERE scope = 'k:" + key + "'");
    }

    @ParameterizedTest
    @CsvSource("13, true, 4")
    void anAbortOfAMoveHomePutsTheTombstoneBack(int bucket, boolean before, int epoch) {
        long key = planted(pair.here, bucket);
        KeyMoveIT.move(pair.ofKeys(key));
        MoveTask home = pair.ofKeys(pair.thereAccess(), pair.hereAccess(), key);
        DyingMover dying = new DyingMover(MoverStep.RESTORE_TOMBSTONE, before);
        try (MoverDriver mover = new MoverDriver(home, dying)) {
            dying.kills(mover);
            mover.done(Command.PREPARE);
            mover.run(Command.ABORT);
            dying.awaitDeath();
        }
        try (MoverDriver mover = new MoverDriver(home)) {
            mover.done(Command.ABORT);
        }
        assertThat(row(pair.here, "k:" + key)).isEqualTo("MOVED " + epoch + " ds-4");
        assertThat(row(pair.there, "k:" + key)).isEqualTo("OWNED " + epoch + " ds-4");
        assertThat(rows(pair.here, key)).isZero();
        assertThat(rows(pair.there, key)).isEqualTo(ROWS);
    }
}
