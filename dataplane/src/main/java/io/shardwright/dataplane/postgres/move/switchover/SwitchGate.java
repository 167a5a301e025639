package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.postgres.move.apply.Streaming;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.ScopeHolders;
import io.shardwright.dataplane.postgres.move.truth.Side;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.postgresql.replication.LogSequenceNumber;

/** Measures, fresh, whether a switch may be tried: lag, open transactions, standbys, shape of the tables, predicted hold. */
public final class SwitchGate {
    private static final Duration MARKER_LIMIT = Duration.ofSeconds(5);
    private static final int BEATS_TO_KNOW = 10;

    private final Incarnation incarnation;
    private final Streaming streaming;
    private final Limits limits;

    public SwitchGate(Streaming streaming) {
        this.streaming = streaming;
        incarnation = streaming.incarnation();
        limits = incarnation.task().limits();
    }

    public Gate measure() throws MoverFault {
        streaming.pulse().awaitMarker(MARKER_LIMIT);
        long lag = lagBytes();
        Optional<HoldPrediction> predicted = prediction(lag);
        for (int i = 0; i < BEATS_TO_KNOW && predicted.isEmpty(); i++) {
            streaming.pulse().beat();
            streaming.pulse().awaitMarker(MARKER_LIMIT);
            predicted = prediction(lag);
        }
        String closed = whyClosed(lag, predicted);
        return new Gate(
                closed == null,
                closed == null ? "lag " + lag + " B, predicted hold " + predicted.get() : closed,
                predicted.stream().mapToDouble(HoldPrediction::totalMs).findFirst(),
                lag);
    }

    private Optional<HoldPrediction> prediction(long lag) {
        return HoldPrediction.of(streaming.pulse().samples(), lag, limits.drainTimeout());
    }

    /** @return null when nothing speaks against a switch */
    private String whyClosed(long lag, Optional<HoldPrediction> predicted) throws MoverFault {
        if (lag > limits.lagGateBytes()) {
            return "the stream is %d B behind, more than %d B".formatted(lag, limits.lagGateBytes());
        }
        String old = oldTransaction();
        if (old != null) {
            return old;
        }
        for (Side side : List.of(incarnation.source(), incarnation.target())) {
            Optional<String> alone = side.read("look for standbys", side::unconfirmable);
            if (alone.isPresent()) {
                return alone.get();
            }
        }
        if (predicted.isEmpty()) {
            return "the hold cannot be predicted yet";
        }
        double budget = limits.writeHoldBudget().toNanos() / 1e6;
        return predicted.get().totalMs() > budget
                ? "predicted hold " + predicted.get() + " is above the budget of " + Math.round(budget) + " ms"
                : null;
    }

    private String oldTransaction() throws MoverFault {
        return incarnation.source().read("look at open transactions", connection -> {
            String identity = MovedTables.identity(connection);
            if (!identity.equals(streaming.tables().identity())) {
                throw MoverFault.schemaChanged("the sharded tables of shard "
                        + incarnation.source().shard() + " have changed since the copy began");
            }
            List<String> old = ScopeHolders.olderThan(connection, streaming.importing(), limits.drainTimeout());
            return old.isEmpty()
                    ? null
                    : "a transaction on the buckets is older than %d ms: %s"
                            .formatted(limits.drainTimeout().toMillis(), old);
        });
    }

    public long lagBytes() throws MoverFault {
        return incarnation
                .source()
                .read(
                        "read the end of the log",
                        connection -> Math.max(
                                0,
                                logEnd(connection).asLong()
                                        - streaming.reached().asLong()));
    }

    private static LogSequenceNumber logEnd(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_current_wal_insert_lsn()::text")) {
            row.next();
            return LogSequenceNumber.valueOf(row.getString(1));
        }
    }
}
