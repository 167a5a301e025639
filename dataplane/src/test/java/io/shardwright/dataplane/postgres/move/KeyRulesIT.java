package io.shardwright.dataplane.postgres.move;

import static io.shardwright.dataplane.postgres.move.KeyMoveIT.row;
import static io.shardwright.dataplane.postgres.move.KeyMoveIT.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.FenceState;
import io.shardwright.servers.PostgresServer;
import io.shardwright.servers.PostgresServer.Version;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;

/** Each rule of keys with their own fence rows: what it prevents, and beside it what happens without it. */
class KeyRulesIT {
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

    private static void plant(String sql) {
        pair.here.plant(sql);
    }

    private static String insert(long key) {
        return "INSERT INTO orders (tenant_id, note) VALUES (" + key + ", 'late')";
    }

    private static void assertRefused(Statement writer, long key) {
        assertThatThrownBy(() -> writer.execute(insert(key)))
                .isInstanceOfSatisfying(
                        PSQLException.class,
                        refusal -> assertThat(refusal.getSQLState()).isEqualTo("SH409"));
    }

    /** A row of a key that is elsewhere, past every rule. */
    private static String tombstone(long key, int bucket) {
        return "INSERT INTO shardwright.fence (scope, bucket, state, epoch, owner) VALUES ('k:%d', %d, 'MOVED', 2, 'ds-4')"
                .formatted(key, bucket);
    }

    private static MoverDriver frozenAt(Freezing freezing, MoveTask task, Command command) {
        MoverDriver mover = new MoverDriver(task, freezing);
        mover.begin(command);
        freezing.awaitFrozen();
        return mover;
    }

    private static Connection withOldSnapshot() throws SQLException {
        Connection writer = pair.here.app();
        writer.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        writer.setAutoCommit(false);
        try (Statement look = writer.createStatement()) {
            look.execute("SELECT count(*) FROM orders");
        }
        return writer;
    }

    /** K1: the split counts, so the row of the bucket changes. */
    @Test
    void aWriterWithASnapshotOfBeforeTheSplitIsRefused() throws SQLException {
        long key = ShopDatabase.keyIn(20);
        try (Connection blind = withOldSnapshot();
                Statement writer = blind.createStatement()) {
            plant(tombstone(key, 20)); // overrideblind: the row of the bucket stays as it is
            writer.execute(insert(key));
            blind.rollback();
        }
        plant("DELETE FROM shardwright.fence WHERE scope = 'k:" + key + "'");
        try (Connection old = withOldSnapshot();
                Statement writer = old.createStatement()) {
            MoveTask task = pair.ofKeys(key);
            KeyMoveIT.move(task);
            assertRefused(writer, key);
        }
    }

    /** K1: one row of the bucket as it was seen. A split past it would make the old owner take writes of the key. */
    @Test
    void aSplitThatComesAfterItsBucketHasGoneDoesNothing() throws SQLException {
        long key = ShopDatabase.keyIn(21);
        Freezing freezing = new Freezing(MoverStep.SPLIT_KEYS);
        try (MoverDriver late = frozenAt(freezing, pair.ofKeys(key), Command.PREPARE)) {
            pair.here.setFence(21, FenceState.MOVED, 2, "ds-4", null);
            freezing.thaw();
            assertThat(MoverDriver.failureOf(late.idle()).message()).contains("is not owned as it was seen");
            assertThat(row(pair.here, "k:" + key)).isEqualTo("absent");
            try (Connection app = pair.here.app();
                    Statement writer = app.createStatement()) {
                assertRefused(writer, key);
                plant("INSERT INTO shardwright.fence (scope, bucket, state, epoch) VALUES ('k:" + key
                        + "', 21, 'OWNED', 1)");
                writer.execute(insert(key)); // latesplit
            }
            plant("DELETE FROM shardwright.fence WHERE scope = 'k:" + key + "'");
            pair.here.setFence(21, FenceState.OWNED, 1, "ds-0", null);
            late.done(Command.ABORT);
        }
    }

    /** K1 under the claim: the epoch of the bucket is that of before, so it alone would let this pass. */
    @Test
    void aSplitOfAMoveThatHasBeenAbortedDoesNothing() {
        long key = ShopDatabase.keyIn(22);
        MoveTask task = pair.ofKeys(key);
        Freezing freezing = new Freezing(MoverStep.SPLIT_KEYS);
        try (MoverDriver frozen = frozenAt(freezing, task, Command.PREPARE)) {
            try (MoverDriver next = new MoverDriver(task)) {
                next.done(Command.ABORT);
            }
            assertThat(row(pair.here, "b:22")).isEqualTo("OWNED 1 ds-0");
            freezing.thaw();
            assertThat(frozen.idle().failure()).isPresent();
        }
        assertThat(row(pair.here, "k:" + key)).isEqualTo("absent");
        pair.assertNothingLeft();
    }

    /** K4: counted anew. Each key has one row, but who counts down does it twice. */
    @Test
    void aFoldThatIsRepeatedDoesNotHideTheTombstoneOfAnotherKey() throws SQLException {
        List<Long> keys = ShopDatabase.keysIn(23, 2);
        KeyMoveIT.move(pair.ofKeys(keys.getFirst(), keys.getLast()));
        MoveTask home = pair.ofKeys(pair.thereAccess(), pair.hereAccess(), keys.getFirst());
        DyingMover dying = new DyingMover(MoverStep.FOLD_KEYS, false);
        try (MoverDriver mover = new MoverDriver(home, dying)) {
            dying.kills(mover);
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.switchOver();
            mover.run(Command.CLEAN_UP);
            dying.awaitDeath();
        }
        try (MoverDriver mover = new MoverDriver(home)) {
            mover.done(Command.CLEAN_UP);
        }
        assertThat(row(pair.here, "b:23")).isEqualTo("OWNED 3 ds-0 1");
        try (Connection app = pair.here.app();
                Statement writer = app.createStatement()) {
            writer.execute(insert(keys.getFirst()));
            assertRefused(writer, keys.getLast());
            plant("UPDATE shardwright.fence SET overrides = overrides - 1 WHERE scope = 'b:23'"); // doubledecrement
            writer.execute(insert(keys.getLast()));
            plant("UPDATE shardwright.fence SET overrides = 1 WHERE scope = 'b:23';"
                    + " DELETE FROM orders WHERE tenant_id = " + keys.getLast());
        }
    }

    /** K4: without the epoch of the key its next life would begin below a tombstone of the one before, and never get past it. */
    @Test
    void aKeyThatLivedBeforeMovesAgainToAShardThatKnowsItOfOld() throws SQLException {
        long key = ShopDatabase.keyIn(28);
        MoveTask again = pair.ofKeys(key);
        KeyMoveIT.move(pair.ofKeys(key));
        KeyMoveIT.move(pair.ofKeys(pair.thereAccess(), pair.hereAccess(), key));
        pair.there.plant(
                "INSERT INTO shardwright.fence (scope, bucket, state, epoch, owner) VALUES ('k:%d', 28, 'MOVED', 3, 'ds-7')"
                        .formatted(key));
        plant("UPDATE shardwright.fence SET epoch = 1 WHERE scope = 'b:28'"); // the epoch of before
        try (MoverDriver mover = new MoverDriver(again)) {
            assertThat(MoverDriver.failureOf(mover.run(Command.PREPARE)).message())
                    .contains("cannot be filled by this one");
            mover.done(Command.ABORT);
        }
        plant("UPDATE shardwright.fence SET epoch = 3 WHERE scope = 'b:28'");
        KeyMoveIT.move(pair.ofKeys(key));
        assertThat(row(pair.there, "k:" + key)).isEqualTo("OWNED 4 ds-4");
    }

    /** Section 8: the key has come here since, and its rows are the ones that are alive. */
    @Test
    void aLateCleanerOfABucketSparesAKeyThatHasComeBack() {
        List<Long> keys = ShopDatabase.keysIn(24, 2);
        try (MoverDriver mover = new MoverDriver(pair.task(24))) {
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.switchOver();
            keys.forEach(key -> plant("INSERT INTO orders VALUES (" + key + ", 1, 'alive')"));
            plant("INSERT INTO shardwright.fence (scope, bucket, state, epoch) VALUES ('k:" + keys.getFirst()
                    + "', 24, 'OWNED', 5)");
            mover.done(Command.RETIRE, Command.CLEAN_UP);
        }
        assertThat(rows(pair.here, keys.getFirst())).isEqualTo(1);
        assertThat(rows(pair.here, keys.getLast())).isZero(); // latecleaner: so goes who has no row
    }

    @Test
    void aBucketAndItsKeyMoveOneAfterTheOtherWhoeverMovesThem() {
        long key = ShopDatabase.keyIn(25);
        MoveTask ofKey = pair.ofKeys(key);
        MoveTask ofBucket = pair.task(25);
        try (MoverDriver first = new MoverDriver(ofKey);
                MoverDriver second = new MoverDriver(ofBucket)) {
            first.done(Command.PREPARE);
            assertWaits(second.run(Command.PREPARE), ofKey);
            assertWaits(second.run(Command.PREPARE), ofKey);
            assertThat(row(pair.there, "b:25")).isEqualTo("absent");
            second.run(Command.ABORT);
            first.done(Command.ABORT);
        }
        assertThat(row(pair.here, "k:" + key)).isEqualTo("absent");
        assertThat(row(pair.here, "b:25")).startsWith("OWNED");
        try (MoverDriver first = new MoverDriver(pair.task(25));
                MoverDriver second = new MoverDriver(ofKey)) {
            first.done(Command.PREPARE, Command.VERIFY);
            first.switchOver();
            first.done(Command.RETIRE); // until its rows are gone here the bucket still moves
            assertThat(second.run(Command.PREPARE).failure()).isPresent();
            assertThat(row(pair.here, "k:" + key)).isEqualTo("absent");
            first.done(Command.CLEAN_UP);
            second.done(Command.ABORT);
        }
    }

    private static void assertWaits(MoveReport report, MoveTask other) {
        assertThat(MoverDriver.failureOf(report).message())
                .contains(
                        other.moveId().toString(), "has not ended: a bucket and a key of it move one after the other");
    }

    /** Both look before either has written, as two operators would that know nothing of each other. */
    @Test
    void ofTwoMoversThatEnterAtTheSameTimeOneFindsTheOther() {
        long key = ShopDatabase.keyIn(26);
        try (MoverDriver one = new MoverDriver(pair.ofKeys(key));
                MoverDriver other = new MoverDriver(pair.task(26))) {
            CompletableFuture<MoveReport> first = CompletableFuture.supplyAsync(() -> one.run(Command.PREPARE));
            CompletableFuture<MoveReport> second = CompletableFuture.supplyAsync(() -> other.run(Command.PREPARE));
            boolean oneIn = first.join().failure().isEmpty();
            boolean otherIn = second.join().failure().isEmpty();
            assertThat(oneIn && otherIn).isFalse();
            one.run(Command.ABORT);
            other.run(Command.ABORT);
        }
        assertThat(row(pair.here, "k:" + key)).isEqualTo("absent");
    }

    /** Else its cleanup would take for its own what another move has brought to the same shard since. */
    @Test
    void aKeyThatWasDecidedAgainstWaitsUntilTheRestOfItsMoveHasEnded() {
        long moved = ShopDatabase.keyIn(31);
        long stays = ShopDatabase.keyIn(32);
        try (MoverDriver first = new MoverDriver(pair.ofKeys(moved, stays));
                MoverDriver second = new MoverDriver(pair.ofKeys(stays))) {
            first.done(Command.PREPARE, Command.VERIFY);
            first.switchEach(new TreeSet<>(List.of(ShopDatabase.scope(moved))));
            first.done(Command.ABORT);
            assertThat(MoverDriver.failureOf(second.run(Command.PREPARE)).message())
                    .contains("has not ended");
            second.done(Command.ABORT);
            first.done(Command.CLEAN_UP);
        }
        assertThat(row(pair.here, "k:" + moved)).isEqualTo("MOVED 2 ds-4");
        assertThat(row(pair.here, "k:" + stays)).isEqualTo("absent");
        KeyMoveIT.move(pair.ofKeys(stays));
        assertThat(row(pair.there, "k:" + stays)).startsWith("OWNED");
    }

    /** M3: past the fence somebody may still write there what does not travel. */
    @Test
    void theStreamOfABucketLeavesOutTheKeysThatLiveApart() {
        List<Long> keys = ShopDatabase.keysIn(30, 2);
        KeyMoveIT.move(pair.ofKeys(keys.getFirst()));
        try (MoverDriver mover = new MoverDriver(pair.task(30))) {
            mover.done(Command.PREPARE);
            keys.forEach(key -> plant("INSERT INTO orders VALUES (" + key + ", 1, 'streamed')"));
            mover.done(Command.VERIFY);
            mover.switchOver();
            mover.done(Command.RETIRE, Command.CLEAN_UP);
        }
        assertThat(rows(pair.there, keys.getFirst())).isZero();
        assertThat(rows(pair.there, keys.getLast())).isEqualTo(1);
        plant("DELETE FROM orders WHERE tenant_id = " + keys.getFirst());
    }

    /** Else two moves, each let in by the shard where the other is not, would wait for each other. */
    @Test
    void whoIsRefusedByTheSourceLeavesTheTargetFreeAgain() {
        String other = "INSERT INTO shardwright.cleanup_record (move_id, kind, name, token) VALUES"
                + " ('00000000-0000-0000-0000-000000000029', 'rows', 'k:" + ShopDatabase.keyIn(29) + "', 't')";
        plant(other);
        try (MoverDriver mover = new MoverDriver(pair.task(29))) {
            assertThat(MoverDriver.failureOf(mover.run(Command.PREPARE)).message())
                    .contains("has not ended");
            assertThat(pair.there.count("shardwright.cleanup_record WHERE name = 'b:29'"))
                    .isZero();
            plant("DELETE FROM shardwright.cleanup_record WHERE name = 'k:" + ShopDatabase.keyIn(29) + "'");
            mover.done(Command.PREPARE, Command.ABORT);
        }
    }

    /** Else the target's row went for an old one, and with it the only trace of who may have taken writes. */
    @Test
    void aBucketStaysWhileAKeyOfItIsOwnedOnBothShards() {
        String key = "k:" + ShopDatabase.keyIn(33);
        String owned = "INSERT INTO shardwright.fence (scope, bucket, state, epoch) VALUES ('%s', 33, 'OWNED', %d)";
        plant(owned.formatted(key, 4) + "; UPDATE shardwright.fence SET overrides = 1 WHERE scope = 'b:33'");
        pair.there.plant(owned.formatted(key, 6));
        try (MoverDriver mover = new MoverDriver(pair.task(33))) {
            assertThat(MoverDriver.failureOf(mover.run(Command.PREPARE)).message())
                    .contains("is owned on two shards");
            assertThat(row(pair.there, "b:33")).isEqualTo("absent");
            assertThat(row(pair.here, key)).startsWith("OWNED 4");
            assertThat(row(pair.there, key)).startsWith("OWNED 6");
            mover.done(Command.ABORT);
        }
        pair.there.plant("DELETE FROM shardwright.fence WHERE scope = '" + key + "'");
    }

    @Test
    void aWriterWhoStaysInTheBucketIsNamedAndNothingIsSplitOff() throws SQLException {
        long key = ShopDatabase.keyIn(27);
        try (Connection app = pair.here.app();
                Statement writer = app.createStatement()) {
            app.setAutoCommit(false);
            writer.execute(insert(ShopDatabase.keysIn(27, 2).getLast()));
            try (MoverDriver mover = new MoverDriver(pair.ofKeys(key))) {
                assertThat(MoverDriver.failureOf(mover.run(Command.PREPARE)).message())
                        .contains("writers did not leave bucket 27 within 2000 ms", "user shop_app");
                assertThat(MoverDriver.failureOf(mover.run(Command.PREPARE)).message())
                        .as("without a queue behind him")
                        .contains("writers have been in bucket 27 for longer than 2000 ms", "user shop_app");
                assertThat(row(pair.here, "k:" + key)).isEqualTo("absent");
                app.rollback();
                mover.done(Command.PREPARE, Command.ABORT);
            }
        }
        assertThat(row(pair.here, "b:27")).isEqualTo("OWNED 3 ds-0");
        assertThat(row(pair.there, "k:" + key)).startsWith("ABORTED");
    }
}
