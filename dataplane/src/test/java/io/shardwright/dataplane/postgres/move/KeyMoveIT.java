package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.KeyHold;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.Scope;
import io.shardwright.servers.PostgresServer;
import io.shardwright.servers.PostgresServer.Version;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;

/** Keys that get a shard of their own, and come home, while they and the other keys of their bucket are written. */
class KeyMoveIT {
    private static MovePair pair;

    /** Takes buckets from here whose keys are there. */
    private static ShopDatabase third;

    @BeforeAll
    static void prepare() {
        PostgresServer server = SharedServers.of(Version.NEWEST);
        pair = MovePair.of(server, server);
        Integer[] all = IntStream.range(0, 100).boxed().toArray(Integer[]::new);
        third = ShopDatabase.fenced(server, "pair_third", all);
    }

    @AfterAll
    static void nothingIsLeft() {
        pair.assertNothingLeft();
    }

    private static void plant(ShopDatabase shard, long key) {
        shard.plant("INSERT INTO orders SELECT " + key + ", n, 'row' FROM generate_series(1, 50) n;"
                + " INSERT INTO order_items SELECT " + key + ", n, n, 's' FROM generate_series(1, 50) n");
    }

    private static MoveTask bucket(ShardAccess from, ShardAccess to, int bucket) {
        return new MoveTask(
                UUID.randomUUID(), "orders", from, to, ShopDatabase.SCHEMA, Scope.buckets(bucket), MoverDriver.PATIENT);
    }

    /** All of a move but its way back, until its source rows are gone. */
    static void move(MoveTask task) {
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.switchOver();
            mover.done(Command.RETIRE, Command.CLEAN_UP);
        }
    }

    static String row(ShopDatabase shard, String scope) {
        List<List<String>> rows = shard.server()
                .query(
                        shard.name(),
                        "SELECT concat_ws(' ', state, epoch, owner, nullif(overrides, 0)) FROM shardwright.fence"
                                + " WHERE scope = '" + scope + "'");
        return rows.isEmpty() ? "absent" : rows.getFirst().getFirst();
    }

    static long rows(ShopDatabase shard, long key) {
        return shard.count("orders WHERE tenant_id = " + key);
    }

    private static void insert(ShopDatabase shard, long key) throws Exception {
        try (var app = shard.app();
                var statement = app.createStatement()) {
            statement.execute("INSERT INTO orders (tenant_id, note) VALUES (" + key + ", 'new')");
        }
    }

    private static void assertRefused(ShopDatabase shard, long key, String state, String owner) {
        assertThatCode(() -> insert(shard, key))
                .isInstanceOfSatisfying(
                        PSQLException.class,
                        refusal -> assertThat(refusal.getServerErrorMessage().getDetail())
                                .contains("\"" + state + "\"", owner == null ? "null" : owner));
    }

    @Test
    void aKeyIsIsolatedAndComesHomeWhileItAndItsNeighbourAreWritten() {
        List<Long> keys = ShopDatabase.keysIn(3, 2);
        keys.forEach(key -> plant(pair.here, key));
        String key = "k:" + keys.getFirst();
        try (LiveLoad load = new LiveLoad(pair, 2, 60, keys)) {
            MoveTask away = pair.ofKeys(keys.getFirst());
            try (MoverDriver mover = new MoverDriver(away)) {
                mover.done(Command.VALIDATE, Command.PREPARE, Command.VERIFY);
                assertThat(row(pair.here, key)).isEqualTo("OWNED 1 ds-0");
                assertThat(row(pair.here, "b:3")).isEqualTo("OWNED 1 ds-0 1");
                MoveReport report = mover.switchOver();
                assertThat(report.keyHolds()).extracting(KeyHold::cause).containsExactly(KeyHold.Cause.SPLIT);
                mover.done(Command.RETIRE, Command.CLEAN_UP);
            }
            assertThat(row(pair.here, key)).isEqualTo("MOVED 2 ds-4");
            assertThat(row(pair.there, key)).isEqualTo("OWNED 2 ds-4");
            assertThat(row(pair.there, "b:3")).isEqualTo("absent");
            assertThat(rows(pair.here, keys.getFirst())).isZero();
            assertThat(rows(pair.there, keys.getFirst())).isGreaterThanOrEqualTo(50);
            assertThat(rows(pair.there, keys.getLast())).isZero();

            move(pair.ofKeys(pair.thereAccess(), pair.hereAccess(), keys.getFirst()));
            assertThat(row(pair.here, key)).isEqualTo("absent");
            assertThat(row(pair.there, key)).isEqualTo("absent");
            assertThat(row(pair.here, "b:3")).isEqualTo("OWNED 3 ds-0"); // the key's epoch
            assertThat(rows(pair.there, keys.getFirst())).isZero();
            assertThat(load.stopAndCompare()).isEmpty();
            assertThat(load.refusals.get()).isPositive();
        }
        pair.assertNothingLeft();
    }

    @Test
    void keysOfSeveralBucketsMoveTogetherAndBackByTheReversal() {
        long one = ShopDatabase.keyIn(5);
        long other = ShopDatabase.keyIn(6);
        List.of(one, other).forEach(key -> plant(pair.here, key));
        try (LiveLoad load = new LiveLoad(pair, 2, 40, List.of(one, other));
                RoundTrip trip = new RoundTrip(pair.ofKeys(one, other))) {
            trip.go();
            trip.comeBack();
            assertThat(load.stopAndCompare()).isEmpty();
        }
        assertThat(row(pair.here, "k:" + one)).isEqualTo("OWNED 3 ds-0");
        assertThat(rows(pair.there, one) + rows(pair.there, other)).isZero();
        pair.assertNothingLeft();
    }

    /** The target's row is then one of the reversal, and the rows of before are no less behind their tombstone. */
    @Test
    void aReversalThatWasAbortedAfterItsFenceDoesNotKeepTheRowsOfTheKey() {
        long key = ShopDatabase.keyIn(13);
        plant(pair.here, key);
        DyingMover dying = new DyingMover(MoverStep.ACTIVATE_TARGET, true);
        try (RoundTrip trip = new RoundTrip(pair.ofKeys(key), dying)) {
            trip.go();
            dying.kills(trip.back());
            trip.back().done(Command.PREPARE, Command.VERIFY);
            trip.back().switchEach(trip.task.scopes());
            dying.awaitDeath();
            trip.nextBack().done(Command.ABORT);
            assertThat(row(pair.here, "k:" + key)).isEqualTo("MOVED 4 ds-4");
            assertThat(rows(pair.here, key)).isEqualTo(50);

            trip.stay();
        }
        assertThat(row(pair.there, "k:" + key)).isEqualTo("OWNED 4 ds-4");
        assertThat(rows(pair.here, key)).isZero();
        assertThat(rows(pair.there, key)).isEqualTo(50);
        pair.assertNothingLeft();
    }

    /** K3, and what a tombstone of a key is good for. */
    @Test
    void aBucketMovesWithoutItsKeyAndTheKeyComesHomeToItsNewOwner() throws Exception {
        List<Long> keys = ShopDatabase.keysIn(8, 2);
        long key = keys.getFirst();
        keys.forEach(each -> plant(pair.here, each));
        move(pair.ofKeys(key));
        pair.here.plant("INSERT INTO orders VALUES (" + key + ", 999, 'of before, never to travel')");

        move(bucket(pair.hereAccess(), third.access("ds-7"), 8));

        assertThat(row(third, "b:8")).isEqualTo("OWNED 2 ds-7 1");
        assertThat(row(third, "k:" + key)).isEqualTo("MOVED 2 ds-4");
        assertThat(rows(third, key)).isZero();
        assertThat(rows(third, keys.getLast())).isEqualTo(50);
        assertRefused(third, key, "MOVED", "ds-4");
        insert(third, keys.getLast());
        insert(pair.there, key);

        third.plant("CREATE TEMPORARY TABLE kept AS SELECT * FROM shardwright.fence WHERE scope = 'k:" + key + "';"
                + "DELETE FROM shardwright.fence WHERE scope = 'k:" + key + "'");
        insert(third, key); // notombstone: without it both shards take writes of the key
        third.plant("DELETE FROM orders WHERE tenant_id = " + key
                + "; INSERT INTO shardwright.fence SELECT * FROM kept; DROP TABLE kept");

        move(pair.ofKeys(pair.thereAccess(), third.access("ds-7"), key));
        assertThat(row(third, "k:" + key)).isEqualTo("absent");
        assertThat(row(third, "b:8")).isEqualTo("OWNED 3 ds-7");
        assertThat(rows(third, key)).isEqualTo(51);
        insert(third, key);
        pair.here.plant("DELETE FROM orders WHERE tenant_id = " + key);

        // here still has the tombstone of the first move; a bucket that comes home must not be refused by it
        assertThat(row(pair.here, "k:" + key)).isEqualTo("MOVED 2 ds-4");
        move(bucket(third.access("ds-7"), pair.hereAccess(), 8));
        assertThat(row(pair.here, "k:" + key)).isEqualTo("absent");
        insert(pair.here, key);
        assertThat(rows(pair.here, key)).isEqualTo(53);
    }

    @Test
    void aBucketComesToTheShardOfItsKeyAndLeavesTheKeysRowsAlone() throws Exception {
        List<Long> keys = ShopDatabase.keysIn(11, 2);
        long key = keys.getFirst();
        keys.forEach(each -> plant(pair.here, each));
        move(pair.ofKeys(key));
        insert(pair.there, key);

        move(pair.task(11));

        assertThat(row(pair.there, "k:" + key)).isEqualTo("OWNED 2 ds-4");
        assertThat(row(pair.there, "b:11")).isEqualTo("OWNED 2 ds-4 1");
        assertThat(rows(pair.there, key)).isEqualTo(51);
        assertThat(rows(pair.there, keys.getLast())).isEqualTo(50);
        insert(pair.there, key);
        insert(pair.there, keys.getLast());

        // the next move of the bucket takes along what is there for no reason any more
        move(pair.back(11));
        assertThat(row(pair.there, "k:" + key)).isEqualTo("absent");
        assertThat(rows(pair.here, key)).isEqualTo(52);
        insert(pair.here, key);
    }
}
