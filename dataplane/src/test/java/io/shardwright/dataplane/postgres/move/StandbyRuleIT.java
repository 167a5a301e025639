package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardAccess.Endpoint;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.Throttling;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.Session;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.servers.Eventually;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;

/** Who counts as a standby, and what follows when there should be one and none is seen. */
class StandbyRuleIT {
    private static final Limits ACCEPTING = new Limits(
            MoverDriver.PATIENT.writeHoldBudget(),
            MoverDriver.PATIENT.drainTimeout(),
            MoverDriver.PATIENT.pauseMax(),
            MoverDriver.PATIENT.lagGateBytes(),
            1,
            true,
            new Throttling(Duration.ofSeconds(5), 1L << 30, 1L << 40, Duration.ofMillis(100), Duration.ofMillis(500)));

    private final MovePair pair = MovePair.upwards();

    private MoveTask replicated(Limits limits) throws IOException {
        return replicated("ds-4", limits);
    }

    /** One of the shards is declared with two instances; the second does not answer. */
    private MoveTask replicated(String shard, Limits limits) throws IOException {
        MoveTask task = pair.task(limits, 17);
        return new MoveTask(
                UUID.randomUUID(),
                task.cluster(),
                shard.equals("ds-0") ? two(task.source()) : task.source(),
                shard.equals("ds-4") ? two(task.target()) : task.target(),
                task.schema(),
                task.scopes(),
                limits);
    }

    private static ShardAccess two(ShardAccess alone) throws IOException {
        try (ServerSocket port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Endpoint down = new Endpoint("b", "127.0.0.1", port.getLocalPort());
            port.close();
            return new ShardAccess(
                    alone.shard(),
                    List.of(alone.instances().getFirst(), down),
                    alone.database(),
                    alone.operator(),
                    alone.mover(),
                    alone.tls());
        }
    }

    /** Connects to a primary and claims to have flushed whatever it will ever write. */
    private final class Standby implements AutoCloseable {
        private final ShopDatabase primary;
        private final Connection connection;

        Standby(String shard) throws ShardException, SQLException {
            ShardAccess access = shard.equals("ds-0") ? pair.hereAccess() : pair.thereAccess();
            primary = shard.equals("ds-0") ? pair.here : pair.there;
            connection = new PostgresSessions()
                    .replication(access, access.instances().getFirst(), Session.unhurried("standby"));
            PGReplicationStream stream = connection
                    .unwrap(PGConnection.class)
                    .getReplicationAPI()
                    .replicationStream()
                    .physical()
                    .withStartPosition(LogSequenceNumber.valueOf(primary.value("SELECT pg_current_wal_flush_lsn()")))
                    .start();
            stream.setFlushedLSN(LogSequenceNumber.valueOf(Long.MAX_VALUE));
            stream.forceUpdateStatus();
            Eventually.until("the claim of the standby", () -> seen("flush_lsn > '7FFF/0'"));
        }

        private boolean seen(String condition) {
            return primary.count("pg_stat_replication WHERE application_name = 'standby' AND " + condition) > 0;
        }

        @Override
        public void close() throws SQLException {
            connection.close();
            Eventually.until("the end of the standby", () -> !seen("true"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ds-0", "ds-4"})
    void theGateIsShutWhileTheDeclaredStandbyIsNotThere(String shard) throws Exception {
        MoveTask task = replicated(shard, MoverDriver.PATIENT);
        try (MoverDriver mover = new MoverDriver(task)) {
            try (Standby standby = new Standby(shard)) {
                assertThat(standby.seen("true")).isTrue();
                mover.done(Command.PREPARE, Command.VERIFY);
            }
            MoveReport report = mover.done(Command.GATE);
            assertThat(report.gateOpen()).isFalse();
            assertThat(report.gateReason()).contains(shard, "connect a standby", "asyncStandby: Accept");
            assertThat(mover.switchGroup(task.scopes()).switches()).isEmpty();
            assertThat(MovePair.fence(pair.here, 17)).isEqualTo("OWNED 1");

            switchWithAStandby(shard, mover, task);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ds-0", "ds-4"})
    void aStandbyThatGoesAfterTheGateWasMeasuredCostsNoHold(String shard) throws Exception {
        MoveTask task = replicated(shard, MoverDriver.PATIENT);
        AtomicReference<Standby> standby = new AtomicReference<>(new Standby(shard));
        try (MoverDriver mover = new MoverDriver(task, new StepBoundary() {
            @Override
            public void before(Enum<?> step, UUID moveId) {}

            @Override
            public void done(Enum<?> step, UUID moveId) {
                if (step == MoverStep.ADVANCE_SEQUENCES) {
                    end(standby.getAndSet(null));
                }
            }
        })) {
            mover.done(Command.PREPARE, Command.VERIFY);
            MoveReport report = mover.switchGroup(task.scopes());
            assertThat(report.failure()).isEmpty();
            assertThat(report.switches()).singleElement().satisfies(attempt -> {
                assertThat(attempt.activated()).isFalse();
                assertThat(attempt.blockers()).singleElement().asString().contains(shard, "connect a standby");
            });
            assertThat(MovePair.fence(pair.here, 17)).isEqualTo("OWNED 1");

            switchWithAStandby(shard, mover, task);
        } finally {
            end(standby.getAndSet(null));
        }
    }

    private static void end(Standby standby) {
        try {
            if (standby != null) {
                standby.close();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void switchWithAStandby(String shard, MoverDriver mover, MoveTask task) throws Exception {
        try (Standby standby = new Standby(shard)) {
            assertThat(standby.seen("true")).isTrue();
            mover.switchEach(task.scopes());
        }
        assertThat(MovePair.fence(pair.there, 17)).isEqualTo("OWNED 2");
    }

    @Test
    void aCommitIsNotConfirmedWhenTheStandbyThatWasDeclaredIsNotThere() throws IOException {
        try (MoverDriver mover = new MoverDriver(replicated(MoverDriver.PATIENT))) {
            assertThat(mover.run(Command.PREPARE).failure().orElseThrow().message())
                    .contains("ds-4", "no standby is connected");
        }
        assertThat(MovePair.fence(pair.there, 17)).isEqualTo("absent");
    }

    /** And when it has been away for long enough, so that the copy does not wait for it any more. */
    @Test
    void itIsWhenThatIsAccepted() throws IOException {
        MoveTask task = replicated(ACCEPTING);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.switchEach(task.scopes());
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
            Eventually.until("a confirmed position", () -> !confirmed().equals(before));
        }
    }

    private String confirmed() {
        return pair.here.value(
                "SELECT confirmed_flush_lsn FROM pg_replication_slots WHERE database = current_database()");
    }
}
