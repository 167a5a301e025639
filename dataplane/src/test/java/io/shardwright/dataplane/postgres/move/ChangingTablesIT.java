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
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cases 17 and 36: each of these changes of a table during the move stops it, also the one that comes after the last gate. */
class ChangingTablesIT {
    private static final String TABLES = """
        SET ROLE shop_owner;
        CREATE TABLE events (tenant_id bigint, id bigint, note text, PRIMARY KEY (tenant_id, id)) PARTITION BY RANGE (id);
        CREATE TABLE events_low PARTITION OF events FOR VALUES FROM (0) TO (100);
        CREATE TABLE events_high PARTITION OF events FOR VALUES FROM (100) TO (200);
        CREATE TABLE events_old (tenant_id bigint, id bigint, note text, PRIMARY KEY (tenant_id, id));
        GRANT SELECT, INSERT, UPDATE, DELETE ON events TO shop_app;
        RESET ROLE;
        """;

    private static final ShardedSchema SCHEMA = new ShardedSchema(
            KeyType.INT64, ShopDatabase.BUCKETING, List.of(new Table("public", "events", "tenant_id")), List.of());

    private static MovePair pair;

    @BeforeAll
    static void preparePair() {
        pair = MovePair.of(SharedServers.of(Version.OLDEST), SharedServers.of(Version.NEWEST), TABLES, SCHEMA);
        for (int bucket = 1; bucket <= 6; bucket++) {
            pair.here.plant("INSERT INTO events VALUES (%d, 1, 'low'), (%1$d, 101, 'high')"
                    .formatted(ShopDatabase.keyIn(bucket)));
        }
    }

    /** As a superuser: the owner of the tables is not allowed to attach one to a table with a fence. */
    private static void change(String ddl) {
        pair.here.server().runScript(pair.here.name(), ddl);
    }

    private enum When {
        BEFORE_THE_GATE,
        AFTER_THE_GATE
    }

    /** One after the other: each one finds what those above it have made. */
    @ParameterizedTest(name = "{1}: {2}")
    @CsvSource(delimiter = '|', textBlock = """
            1 | BEFORE_THE_GATE | ALTER TABLE events ATTACH PARTITION events_old FOR VALUES FROM (200) TO (300)
            2 | BEFORE_THE_GATE | ALTER TABLE events DETACH PARTITION events_old
            3 | AFTER_THE_GATE  | ALTER TABLE events ATTACH PARTITION events_old FOR VALUES FROM (200) TO (300)
            4 | AFTER_THE_GATE  | ALTER TABLE events DETACH PARTITION events_old
            5 | BEFORE_THE_GATE | ALTER TABLE events_low DISABLE TRIGGER zz_shardwright_fence
            6 | AFTER_THE_GATE  | ALTER TABLE events ALTER note TYPE varchar(100)
            """)
    void aChangeAfterTheCopyStopsTheMoveAndNothingIsFenced(int bucket, When when, String ddl) {
        MoveTask task = pair.task(bucket);
        StepBoundary boundary = when == When.AFTER_THE_GATE ? afterTheGate(() -> change(ddl)) : StepBoundary.NONE;
        try (MoverDriver mover = new MoverDriver(task, boundary)) {
            mover.done(Command.PREPARE, Command.VERIFY, Command.GATE);
            assertThat(mover.report().gateOpen()).isTrue();
            if (when == When.BEFORE_THE_GATE) {
                change(ddl);
            }
            assertStopped(mover.switchGroup(task.scopes()), bucket);
        }
    }

    @Test
    void aColumnThatTheTargetLacksStopsTheCopyUntilItHasIt() {
        MovePair shop = MovePair.upwards();
        OrderRows.write(shop.here, OrderRows.insert(7, 1, "row"));
        String migration = "ALTER TABLE orders ADD COLUMN late text";
        shop.here.server().runScript(shop.here.name(), migration);
        try (MoverDriver mover = new MoverDriver(shop.task(7))) {
            assertThat(mover.run(Command.PREPARE).failure()).hasValueSatisfying(failure -> {
                assertThat(failure.kind()).isEqualTo(Kind.SCHEMA_CHANGED);
                assertThat(failure.curable()).isTrue();
                assertThat(failure.message()).contains("late");
            });

            shop.there.server().runScript(shop.there.name(), migration);

            mover.done(Command.PREPARE);
        }
    }

    private static void assertStopped(MoveReport report, int bucket) {
        assertThat(report.failure()).hasValueSatisfying(failure -> {
            assertThat(failure.kind()).isEqualTo(Kind.SCHEMA_CHANGED);
            assertThat(failure.message()).contains("have changed");
        });
        assertThat(report.switches()).isEmpty();
        assertThat(MovePair.fence(pair.here, bucket)).isEqualTo("OWNED 1");
        assertThat(MovePair.fence(pair.there, bucket)).isEqualTo("IMPORTING 1");
    }

    private static StepBoundary afterTheGate(Runnable change) {
        AtomicBoolean changed = new AtomicBoolean();
        return new StepBoundary() {
            @Override
            public void before(Enum<?> step, UUID moveId) {
                if (step == MoverStep.LOCK_TARGET && changed.compareAndSet(false, true)) {
                    change.run();
                }
            }

            @Override
            public void done(Enum<?> step, UUID moveId) {}
        };
    }
}
