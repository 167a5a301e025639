package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardAccess.Endpoint;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.Session;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Who counts as a standby, and what follows when there should be one and none is seen. */
class StandbyRuleIT {
    private static final Limits ACCEPTING = new Limits(
            MovePair.PATIENT.writeHoldBudget(),
            MovePair.PATIENT.drainTimeout(),
            MovePair.PATIENT.pauseMax(),
            MovePair.PATIENT.lagGateBytes(),
            1,
            true);

    private final MovePair pair = MovePair.upwards();

    /** The target is declared with two instances; one of them does not answer. */
    private MoveTask replicated(Limits limits) throws IOException {
        ShardAccess alone = pair.thereAccess();
        try (ServerSocket port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Endpoint down = new Endpoint("b", "127.0.0.1", port.getLocalPort());
            port.close();
            ShardAccess two = new ShardAccess(
                    alone.shard(),
                    List.of(alone.instances().getFirst(), down),
                    alone.database(),
                    alone.operator(),
                    alone.mover(),
                    alone.tls());
            MoveTask task = pair.task(limits, 17);
            return new MoveTask(
                    UUID.randomUUID(), task.cluster(), task.source(), two, task.schema(), task.buckets(), limits);
        }
    }

    @Test
    void aCommitIsNotConfirmedWhenTheStandbyThatWasDeclaredIsNotThere() throws IOException {
        try (MoverDriver mover = new MoverDriver(replicated(MovePair.PATIENT))) {
            assertThat(mover.run(Command.PREPARE).failure().orElseThrow().message())
                    .contains("ds-4", "no standby is connected");
        }
        assertThat(MovePair.fence(pair.there, 17)).isEqualTo("absent");
    }

    @Test
    void itIsWhenThatIsAccepted() throws IOException {
        MoveTask task = replicated(ACCEPTING);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.switchEach(task.buckets());
        }
        assertThat(MovePair.fence(pair.there, 17)).isEqualTo("OWNED 2");
    }

    /** As a base backup is: a walsender, but nobody to fail over to. */
    @Test
    void aWalsenderThatIsNoStandbyDoesNotHoldTheSlotBack() throws ShardException, SQLException {
        ShardAccess target = pair.thereAccess();
        try (Connection backup = new PostgresSessions()
                        .replication(target, target.instances().getFirst(), Session.probe("backup"));
                MoverDriver mover = new MoverDriver(pair.task(17))) {
            assertThat(backup.isClosed()).isFalse();
            assertThat(pair.there.count("pg_stat_replication WHERE application_name = 'backup'"))
                    .isOne();
            mover.done(Command.PREPARE);
            String before = confirmed();
            Eventually.holds("a confirmed position", () -> !confirmed().equals(before));
        }
    }

    private String confirmed() {
        return pair.here.value(
                "SELECT confirmed_flush_lsn FROM pg_replication_slots WHERE database = current_database()");
    }
}
