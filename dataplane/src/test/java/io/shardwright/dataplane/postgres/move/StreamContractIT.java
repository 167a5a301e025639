package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.ShardedSchema.Table;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.KeyType;
import io.shardwright.servers.PostgresServer.Version;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the copy and the stream carry, against a table with one column of nearly everything. */
class StreamContractIT {
    private static final String TABLES = """
        SET ROLE shop_owner;
        CREATE TYPE mood AS ENUM ('calm', 'upset');
        CREATE TYPE place AS (street text, number int);
        CREATE TABLE things (
          tenant_id bigint, code text, n int, f float8, r real, num numeric(20, 6), b boolean, d date, t time, ts timestamp,
          tz timestamptz, iv interval, raw bytea, j json, jb jsonb, u uuid, arr int[], tags text[], m mood, p place,
          net inet, bits bit varying(8), rng int4range, big text, gen bigint GENERATED ALWAYS AS (n::bigint * 2) STORED,
          serial_no bigint GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (tenant_id, code, serial_no));
        ALTER TABLE things ALTER big SET STORAGE EXTERNAL;
        GRANT SELECT, INSERT, UPDATE, DELETE ON things TO shop_app;
        RESET ROLE;
        """;

    private static final ShardedSchema SCHEMA = new ShardedSchema(
            KeyType.INT64, ShopDatabase.BUCKETING, List.of(new Table("public", "things", "tenant_id")), List.of());

    private static final String ALL =
            "SELECT things::text FROM things WHERE shardwright.bucket_of(tenant_id::text) = 17 ORDER BY 1";

    private MovePair pair;
    private long tenant;

    @BeforeEach
    void preparePair() {
        pair = MovePair.of(SharedServers.of(Version.OLDEST), SharedServers.of(Version.NEWEST), TABLES, SCHEMA);
        tenant = ShopDatabase.keyIn(17);
    }

    private String insert(String code) {
        return """
            INSERT INTO things (tenant_id, code, n, f, r, num, b, d, t, ts, tz, iv, raw, j, jb, u, arr, tags, m, p, net, bits,
              rng, big) VALUES (%d, '%s', 7, 0.1::float8 + 0.2, 'NaN', 1234567.5, true, '2026-02-28', '23:59:59.999999',
              'infinity', '0044-03-15 12:00:00+00 BC', '1 year -2 mons 3 days 04:05:06.789', '\\x00ff5c', '{"a": 1 }', '[1, null]',
              '00000000-0000-0000-0000-00000000000a', '{1,NULL,3}', ARRAY['a"b', E'c\\\\d', ''], 'upset',
              ROW('High "St", 1', NULL)::place, '10.0.0.0/8', B'101', '[1,5)', repeat('x', 9000))\
            """.formatted(tenant, code);
    }

    private void write(String sql) {
        pair.here.server().runScript(pair.here.name(), sql);
    }

    private void moveWhile(Runnable streaming) {
        MoveTask task = pair.task(17);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.VALIDATE, Command.PREPARE);
            streaming.run();
            mover.done(Command.VERIFY);
            String before = pair.here.server().query(pair.here.name(), ALL).toString();
            mover.switchEach(task.scopes());
            assertThat(pair.there.server().query(pair.there.name(), ALL)).hasToString(before);
        }
    }

    @Test
    void everyTypeArrivesAsItWasWhetherCopiedOrStreamed() {
        write(insert("copied"));
        write("INSERT INTO things (tenant_id, code) VALUES (" + tenant + ", 'only nulls')");
        moveWhile(() -> write(insert("streamed") + "; " + insert("Ünïcode 😀 \"\" \\ \t end ")));
    }

    @Test
    void aValueStoredOutOfLineSurvivesUpdatesThatDoNotTouchIt() {
        write(insert("a"));
        moveWhile(() -> write("UPDATE things SET n = 8; UPDATE things SET code = 'b'; UPDATE things SET n = n + 1"));
        assertThat(pair.there.value("SELECT code || n || length(big) || gen FROM things"))
                .isEqualTo("b9900018");
    }

    @Test
    void changesOfOneRowInOneTransactionArriveInTheirOrder() {
        moveWhile(() -> write(insert("a") + "; UPDATE things SET code = 'b' WHERE code = 'a'; " + insert("a")
                + "; DELETE FROM things WHERE code = 'b'; UPDATE things SET big = 'short'"));
        assertThat(pair.there.value("SELECT string_agg(code || big, ',') FROM things"))
                .isEqualTo("ashort");
    }

    @Test
    void aTransactionLargerThanAGroupArrivesWhole() {
        moveWhile(() -> write("INSERT INTO things (tenant_id, code, big) SELECT " + tenant
                + ", 'c' || n, repeat('y', 3000) FROM generate_series(1, 1500) n"));
        assertThat(pair.there.count("things")).isEqualTo(1500);
    }

    @Test
    void rowsOfOtherBucketsStayWhereTheyAre() {
        long other = ShopDatabase.keyIn(18);
        moveWhile(() -> write(insert("mine") + "; " + insert("theirs").replace("(" + tenant + ",", "(" + other + ",")));
        assertThat(pair.there.count("things")).isOne();
    }

    @Test
    void whatIsWrittenAfterTheSlotAndBeforeTheCopyArrivesOnce() {
        write(insert("before"));
        MoveTask task = pair.task(17);
        StepBoundary writes = new StepBoundary() {
            @Override
            public void before(Enum<?> step, UUID moveId) {}

            @Override
            public void done(Enum<?> step, UUID moveId) {
                if (step == MoverStep.CREATE_SLOT) {
                    write(insert("between") + "; UPDATE things SET n = n + 1");
                }
            }
        };
        try (MoverDriver mover = new MoverDriver(task, writes)) {
            mover.done(Command.PREPARE, Command.VERIFY);
            assertThat(mover.report().progress().rowsCopied()).isOne();
        }
        assertThat(pair.there.value("SELECT string_agg(code || n, ',' ORDER BY code) FROM things"))
                .isEqualTo("before8,between8");
    }

    @Test
    void aTableThatChangesDuringTheMoveStopsIt() {
        write(insert("a"));
        try (MoverDriver mover = new MoverDriver(pair.task(17))) {
            mover.done(Command.PREPARE);
            write("ALTER TABLE things ADD COLUMN extra text");
            MoveReport report = mover.run(Command.GATE);
            assertThat(report.failure().orElseThrow().kind()).isEqualTo(Kind.SCHEMA_CHANGED);
        }
    }

    @Test
    void truncateIsRefusedByTheFenceAndStopsTheStreamWhenItGotPast() {
        write(insert("a"));
        try (MoverDriver mover = new MoverDriver(pair.task(17))) {
            mover.done(Command.PREPARE);
            pair.here.plant("TRUNCATE things");
            MoveReport report =
                    mover.await("the stream to stop", now -> now.failure().isPresent());
            assertThat(report.failure().orElseThrow().message()).contains("truncated");
        }
    }
}
