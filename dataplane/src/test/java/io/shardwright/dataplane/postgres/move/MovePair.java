package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.routing.Scope;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.PostgresServer;
import io.shardwright.servers.PostgresServer.Version;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Two shards of the shop: here owns every bucket, there owns none. */
final class MovePair {
    private static final AtomicInteger COUNT = new AtomicInteger();

    final ShopDatabase here;
    final ShopDatabase there;
    private final ShardedSchema schema;

    private MovePair(ShopDatabase here, ShopDatabase there, ShardedSchema schema) {
        this.here = here;
        this.there = there;
        this.schema = schema;
    }

    /** From the oldest supported version to the newest. */
    static MovePair upwards() {
        return of(SharedServers.of(Version.OLDEST), SharedServers.of(Version.NEWEST));
    }

    /** From the newest supported version to the oldest. */
    static MovePair downwards() {
        return of(SharedServers.of(Version.NEWEST), SharedServers.of(Version.OLDEST));
    }

    static MovePair of(PostgresServer here, PostgresServer there) {
        return of(here, there, ShopDatabase.TABLES, ShopDatabase.SCHEMA);
    }

    static MovePair of(PostgresServer here, PostgresServer there, String tables, ShardedSchema schema) {
        int number = COUNT.incrementAndGet();
        Integer[] all = new Integer[schema.bucketing().buckets()];
        for (int bucket = 0; bucket < all.length; bucket++) {
            all[bucket] = bucket;
        }
        return new MovePair(
                ShopDatabase.copied(here, "pair_" + number + "_here", tables, schema),
                ShopDatabase.copied(there, "pair_" + number + "_there", tables, schema, all),
                schema);
    }

    ShardAccess hereAccess() {
        return here.access("ds-0");
    }

    ShardAccess thereAccess() {
        return there.access("ds-4");
    }

    MoveTask task(Integer... buckets) {
        return task(MoverDriver.PATIENT, buckets);
    }

    MoveTask task(Limits limits, Integer... buckets) {
        return new MoveTask(UUID.randomUUID(), "orders", hereAccess(), thereAccess(), schema, set(buckets), limits);
    }

    /** A move of keys from here to there. */
    MoveTask ofKeys(Long... keys) {
        return ofKeys(hereAccess(), thereAccess(), keys);
    }

    MoveTask ofKeys(ShardAccess from, ShardAccess to, Long... keys) {
        SortedSet<Scope> scopes = new TreeSet<>();
        List.of(keys).forEach(key -> scopes.add(ShopDatabase.scope(key)));
        return new MoveTask(UUID.randomUUID(), "orders", from, to, schema, scopes, MoverDriver.PATIENT);
    }

    /** The way back. */
    MoveTask back(Integer... buckets) {
        return new MoveTask(
                UUID.randomUUID(), "orders", thereAccess(), hereAccess(), schema, set(buckets), MoverDriver.PATIENT);
    }

    static SortedSet<Scope> set(Integer... buckets) {
        return Scope.buckets(buckets);
    }

    /** "OWNED 1", or "absent". */
    static String fence(ShopDatabase database, int bucket) {
        List<List<String>> rows = database.server()
                .query(
                        database.name(),
                        "SELECT state || ' ' || epoch FROM shardwright.fence WHERE scope = 'b:" + bucket + "'");
        return rows.isEmpty() ? "absent" : rows.getFirst().getFirst();
    }

    /** For a mover that dies when the fence has come by the stream: a server may stream a commit before others see it. */
    static void awaitFence(ShopDatabase database, int bucket, String fence) {
        Eventually.until(
                "bucket " + bucket + " to be " + fence,
                () -> fence(database, bucket).equals(fence));
    }

    static long rows(ShopDatabase database, String table, int bucket) {
        return database.count(table + " WHERE shardwright.bucket_of(tenant_id::text) = " + bucket);
    }

    /** What a move could have left behind in either database; empty when nothing. */
    String leftovers() {
        StringBuilder found = new StringBuilder();
        for (ShopDatabase database : List.of(here, there)) {
            found.append(database.server().query(database.name(), """
                SELECT 'slot ' || slot_name FROM pg_replication_slots WHERE database = current_database()
                UNION ALL SELECT 'record ' || kind || ' ' || name FROM shardwright.cleanup_record
                UNION ALL SELECT 'progress' FROM shardwright.move_progress
                UNION ALL SELECT 'claim' FROM shardwright.claim
                UNION ALL SELECT 'heartbeat' FROM shardwright.heartbeat\
                """).stream()
                    .map(List::getFirst)
                    .collect(Collectors.joining(" ")));
        }
        return found.toString();
    }

    /** No trace of any move; only that it has ended the sessions of a closed mover takes a server a moment. */
    void assertNothingLeft() {
        assertThat(leftovers()).isEmpty();
        Eventually.until("the sessions of all movers to end", () -> movers() == 0);
    }

    private long movers() {
        return Stream.of(here, there)
                .mapToLong(database -> database.count("pg_stat_activity WHERE datname = current_database()"
                        + " AND application_name LIKE 'shardwright/%'"))
                .sum();
    }
}
