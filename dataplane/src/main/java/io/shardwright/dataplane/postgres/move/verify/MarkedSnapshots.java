package io.shardwright.dataplane.postgres.move.verify;

import io.shardwright.dataplane.postgres.move.apply.RowKey;
import io.shardwright.dataplane.postgres.move.apply.SourceSnapshot;
import io.shardwright.dataplane.postgres.move.apply.Streaming;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.Side;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;

/**
 * Two snapshots that can be compared: the source's, then a marker through the stream, then the target's, which therefore
 * has at least all that the source's has. What the target may have beyond it is the dirty set.
 */
final class MarkedSnapshots implements AutoCloseable {
    private static final Duration MARKER_LIMIT = Duration.ofSeconds(30);

    private final Incarnation incarnation;
    private final Connection source;
    private final Connection target;
    private final Set<RowKey> dirty;

    private MarkedSnapshots(Incarnation incarnation, Connection source, Connection target, Set<RowKey> dirty) {
        this.incarnation = incarnation;
        this.source = source;
        this.target = target;
        this.dirty = dirty;
    }

    static MarkedSnapshots take(Streaming streaming) throws MoverFault {
        Incarnation incarnation = streaming.incarnation();
        Connection source = open(incarnation.source());
        Connection target = null;
        boolean taken = false;
        try {
            target = open(incarnation.target());
            MarkedSnapshots snapshots =
                    new MarkedSnapshots(incarnation, source, target, dirty(streaming, source, target));
            taken = true;
            return snapshots;
        } finally {
            if (!taken) { // an open snapshot would keep the source from removing dead rows
                incarnation.source().end(source);
                if (target != null) {
                    incarnation.target().end(target);
                }
            }
        }
    }

    /** @return the dirty set */
    private static Set<RowKey> dirty(Streaming streaming, Connection source, Connection target) throws MoverFault {
        Incarnation incarnation = streaming.incarnation();
        Set<RowKey> dirty;
        streaming.touched().hold();
        try {
            streaming.touched().pin(SourceSnapshot.parse(snapshot(incarnation.source(), source)));
            streaming.pulse().awaitMarker(MARKER_LIMIT);
            snapshot(incarnation.target(), target);
            dirty = streaming.touched().unseen();
        } finally {
            streaming.touched().release();
        }
        if (dirty == null) {
            throw MoverFault.blocked(
                    "too many rows were written to be compared, because of a transaction that has been open for long",
                    "end old transactions on shard " + incarnation.source().shard());
        }
        return dirty;
    }

    /** A session for scans that may take long. */
    static Connection open(Side side) throws MoverFault {
        return side.open(Duration.ZERO, Duration.ofMinutes(30), Duration.ofSeconds(10));
    }

    private static String snapshot(Side side, Connection connection) throws MoverFault {
        try (Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
            try (ResultSet row = statement.executeQuery("SELECT pg_current_snapshot()::text")) {
                row.next();
                return row.getString(1);
            }
        } catch (SQLException e) {
            throw side.fault("open a snapshot", e);
        }
    }

    Set<RowKey> dirty() {
        return dirty;
    }

    @FunctionalInterface
    interface Query<T> {
        T of(Connection connection) throws SQLException;
    }

    <T> T onSource(Query<T> query) throws MoverFault {
        return on(incarnation.source(), source, query);
    }

    <T> T onTarget(Query<T> query) throws MoverFault {
        return on(incarnation.target(), target, query);
    }

    private static <T> T on(Side side, Connection connection, Query<T> query) throws MoverFault {
        try {
            return query.of(connection);
        } catch (SQLException e) {
            throw side.fault("verify rows", e);
        }
    }

    @Override
    public void close() {
        incarnation.source().endGently(source);
        incarnation.target().endGently(target);
    }
}
