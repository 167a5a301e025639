package io.shardwright.dataplane.postgres.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.PostgresSessions.As;
import io.shardwright.dataplane.postgres.Session;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.routing.Scope;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.PostgresServer;
import io.shardwright.servers.PostgresServer.Version;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Step 1 of a move, from the oldest server to the newest. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MoveValidationIT {
    private final PostgresSessions sessions = new PostgresSessions();
    private ShopDatabase source;
    private ShopDatabase target;

    @BeforeAll
    void openShops() {
        source = ShopDatabase.fenced(SharedServers.of(Version.OLDEST), "validation");
        target = ShopDatabase.fenced(SharedServers.of(Version.NEWEST), "validation");
    }

    private MoveTask task() {
        return new MoveTask(
                UUID.fromString("5b8c6f0e-0000-4000-8000-00000000000a"),
                "orders",
                source.access("ds-0"),
                target.access("ds-4"),
                ShopDatabase.SCHEMA,
                Scope.buckets(17, 42),
                MoveTask.Limits.defaults());
    }

    private List<Problem> check() throws SQLException, ShardException {
        return check(task());
    }

    private List<Problem> check(MoveTask task) throws SQLException, ShardException {
        try (Connection from = sessions.primary(task.source(), As.MOVER, Session.probe("validation"));
                Connection to = sessions.primary(task.target(), As.MOVER, Session.probe("validation"))) {
            return MoveValidation.check(from, to, task);
        }
    }

    @Test
    void findsNothingBetweenEqualShards() throws SQLException, ShardException {
        assertThat(check()).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            ALTER TABLE orders ADD x int                                 | ALTER TABLE orders DROP x                                   | public.orders column 4 x integer
            ALTER TABLE orders DISABLE TRIGGER zz_shardwright_fence      | ALTER TABLE orders ENABLE TRIGGER zz_shardwright_fence      | shard ds-4: trigger zz_shardwright_fence of table public.orders
            REVOKE DELETE ON orders FROM shardwright_mover               | GRANT DELETE ON orders TO shardwright_mover                 | shardwright_mover may not DELETE table public.orders
            REVOKE UPDATE ON SEQUENCE orders_id_seq FROM shardwright_mover | GRANT UPDATE ON SEQUENCE orders_id_seq TO shardwright_mover | may not set sequence public.orders_id_seq
            INSERT INTO shardwright.cleanup_record VALUES ('5b8c6f0e-0000-4000-8000-00000000000b', 'rows', 'b:42', 't') | DELETE FROM shardwright.cleanup_record | has not cleaned up its rows of b:42 yet
            ALTER ROLE shardwright_mover NOREPLICATION                   | ALTER ROLE shardwright_mover REPLICATION                    | shard ds-4: shardwright_mover may not replicate
            SELECT count(pg_create_physical_replication_slot(concat('full_', n))) FROM generate_series(1, current_setting('max_replication_slots')::int - (SELECT count(*)::int FROM pg_replication_slots)) n | SELECT count(pg_drop_replication_slot(slot_name)) FROM pg_replication_slots WHERE slot_name LIKE 'full%' | shard ds-4: no replication slot is free
            CREATE UNIQUE INDEX u ON orders (note)                       | DROP INDEX u                                                | does not contain the shard key
            """)
    void namesWhatIsWrongWithTheTarget(String ddl, String undo, String words) throws SQLException, ShardException {
        target.plant(ddl);
        List<Problem> problems = check();
        target.plant(undo);

        assertThat(problems)
                .extracting(Problem::message)
                .anySatisfy(message -> assertThat(message).contains(words));
    }

    /** A server may be restarted with other settings after a shard was looked at. */
    @Test
    void namesASourceWhoseLogNoStreamCanRead() throws SQLException, ShardException {
        try (PostgresServer plain = PostgresServer.builder()
                .name("no-logical-log")
                .setting("wal_level", "replica")
                .start()) {
            MoveTask wanted = task();
            MoveTask task = new MoveTask(
                    wanted.moveId(),
                    wanted.cluster(),
                    ShopDatabase.fenced(plain, "validation").access("ds-0"),
                    wanted.target(),
                    wanted.schema(),
                    wanted.scopes(),
                    wanted.limits());

            assertThat(check(task))
                    .extracting(Problem::message)
                    .containsExactly(
                            "shard ds-0: wal_level is replica: set wal_level = logical and restart the server");
        }
    }

    @Test
    void ownRecordsOfAnEarlierMoverAreNoObstacle() throws SQLException, ShardException {
        target.plant(
                "INSERT INTO shardwright.cleanup_record VALUES ('%s', 'rows', 'b:17', 't')".formatted(task().moveId()));
        List<Problem> problems = check();
        target.plant("DELETE FROM shardwright.cleanup_record");

        assertThat(problems).isEmpty();
    }

    private List<Problem> checkWith(ShopDatabase side, String standbyNames) throws SQLException, ShardException {
        side.plant("ALTER SYSTEM SET synchronous_standby_names = '" + standbyNames + "'");
        try {
            reload(side, standbyNames);
            return check();
        } finally {
            side.plant("ALTER SYSTEM RESET synchronous_standby_names");
            reload(side, "");
        }
    }

    private static long size(ShopDatabase database, String of) {
        return Long.parseLong(database.value("SELECT " + of));
    }

    private List<Problem> withCapacity(long bytes) throws SQLException, ShardException {
        MoveTask any = task();
        return check(new MoveTask(
                any.moveId(),
                any.cluster(),
                any.source(),
                any.target().capacity(OptionalLong.of(bytes)),
                any.schema(),
                any.scopes(),
                any.limits()));
    }

    /** Of the source's three tenants two are in the move. */
    @Test
    void aTargetWithoutRoomForWhatComesIsRefused() throws SQLException, ShardException {
        source.plant("INSERT INTO orders SELECT t.key, n, repeat('x', 500) FROM generate_series(1, 20000) n,"
                + " (VALUES (%d), (%d), (%d)) t (key)"
                        .formatted(ShopDatabase.keyIn(17), ShopDatabase.keyIn(42), ShopDatabase.keyIn(3)));
        try {
            long holds = size(target, "pg_database_size(current_database())");
            long log = 1L << 30;
            long comes = size(source, "pg_total_relation_size('orders')") * 2 / 3;

            assertThat(withCapacity((long) (1.2 * (holds + 1.3 * comes)) + log)).isEmpty();
            assertThat(withCapacity((long) (1.2 * (holds + 0.7 * comes)) + log))
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.message())
                            .contains("shard ds-4", "capacity", "1024 MiB for its log", "come with these buckets"));
        } finally {
            source.plant("TRUNCATE orders CASCADE");
        }
    }

    private static void reload(ShopDatabase side, String standbyNames) {
        side.plant("SELECT pg_reload_conf()");
        Eventually.until(
                "the setting",
                Duration.ofSeconds(10),
                () -> {
                    try (Connection fresh = side.superuser();
                            var row = fresh.createStatement().executeQuery("SHOW synchronous_standby_names")) {
                        return row.next() && row.getString(1).equals(standbyNames);
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                },
                () -> "");
    }

    @Test
    void aSynchronousStandbyThatIsNotThereIsNamed() throws SQLException, ShardException {
        assertThat(checkWith(source, "ANY 1 (standby, \"a*b\", \"a\"\"*\")"))
                .singleElement()
                .satisfies(problem ->
                        assertThat(problem.message()).contains("shard ds-0", "no such standby is connected"));
    }

    /** A move's own stream would be one of them. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ds-0 | *
            ds-4 | ANY 1 (standby, *)
            ds-0 | FIRST 1 ("*")
            """)
    void aPatternForAllSynchronousStandbysIsRefusedOnEitherSide(String shard, String names)
            throws SQLException, ShardException {
        assertThat(checkWith(shard.equals("ds-0") ? source : target, names))
                .extracting(Problem::message)
                .anySatisfy(message -> assertThat(message)
                        .startsWith("shard " + shard + ": synchronous_standby_names is " + names)
                        .contains("name the standbys instead"));
    }

    @Test
    void oneDatabaseUnderTwoNamesIsRefused() throws SQLException, ShardException {
        try (Connection one = sessions.primary(source.access(), As.MOVER, Session.probe("validation"));
                Connection other = sessions.primary(source.access(), As.MOVER, Session.probe("validation"))) {
            assertThat(MoveValidation.check(one, other, task()))
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.message()).contains("are the same database"));
        }
    }
}
