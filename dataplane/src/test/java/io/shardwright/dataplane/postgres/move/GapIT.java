package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.servers.Eventually;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Long transactions on a bucket, and what is between them. */
class GapIT {
    private static final int BUCKET = 17;
    private static final Limits LIMITS =
            new Limits(Duration.ofMillis(2_500), Duration.ofSeconds(1), Duration.ofSeconds(30), 1 << 20, 1, false);

    private static final String OLD =
            "pg_stat_activity WHERE datname = current_database() AND application_name = 'report'"
                    + " AND xact_start < clock_timestamp() - interval '3500 ms'";

    @Test
    void whoIsOpenForLongIsNamedAndTheGapAfterItIsUsedAtOnce() throws SQLException {
        MovePair pair = MovePair.upwards();
        MoveTask task = pair.task(LIMITS, BUCKET);
        try (Connection app = pair.here.app();
                Statement report = app.createStatement();
                MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.PREPARE, Command.VERIFY);

            // given a transaction that is older than any hold may be
            report.execute("SET application_name = 'report'");
            app.setAutoCommit(false);
            report.execute(OrderRows.insert(BUCKET, 1, "reported"));
            Eventually.until("the transaction to be old", () -> pair.here.count(OLD) == 1);
            try (Connection brief = pair.here.app();
                    Statement statement = brief.createStatement()) {
                statement.execute("SET application_name = 'brief'");
                brief.setAutoCommit(false);
                statement.execute(OrderRows.insert(BUCKET, 2, "in passing"));
                MoveReport shut = mover.done(Command.GATE);
                assertThat(shut.gateOpen()).isFalse();
                assertThat(shut.gateReason())
                        .contains("older than 1000 ms", "shop_app 'report'")
                        .as("who is not in the way")
                        .doesNotContain("brief");
                brief.rollback();
            }

            // when it has ended
            app.commit();

            // then the first look finds the gate open, and the first attempt switches the bucket
            MoveReport after = mover.switchGroup(task.scopes());
            assertThat(after.gateOpen()).as(after.gateReason()).isTrue();
            assertThat(after.switches())
                    .singleElement()
                    .satisfies(attempt -> assertThat(attempt.activated()).isTrue());
        }
        assertThat(OrderRows.notes(pair.there, BUCKET)).isEqualTo("1reported");
    }
}
