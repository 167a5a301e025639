package io.shardwright.dataplane.postgres.move.copy;

import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.postgresql.replication.LogSequenceNumber;

/**
 * A new persistent slot and the snapshot that belongs to it: what the snapshot does not see, the slot streams. The snapshot
 * can be imported while this object is open.
 */
final class SnapshotSlot implements AutoCloseable {
    /** Making a slot waits for all open write transactions of the server; so long, and never inside a hold. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Incarnation incarnation;
    private final Connection connection;
    private final LogSequenceNumber consistentPoint;
    private final String snapshot;

    private SnapshotSlot(
            Incarnation incarnation, Connection connection, LogSequenceNumber consistentPoint, String snapshot) {
        this.incarnation = incarnation;
        this.connection = connection;
        this.consistentPoint = consistentPoint;
        this.snapshot = snapshot;
    }

    static SnapshotSlot create(Incarnation incarnation) throws MoverFault {
        Connection connection = incarnation.source().openReplication();
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout((int) LIMIT.toSeconds());
            try (ResultSet row = statement.executeQuery(
                    "CREATE_REPLICATION_SLOT " + incarnation.slot() + " LOGICAL pgoutput (SNAPSHOT 'export')")) {
                row.next();
                return new SnapshotSlot(
                        incarnation, connection, LogSequenceNumber.valueOf(row.getString(2)), row.getString(3));
            }
        } catch (SQLException e) {
            incarnation.source().end(connection);
            if ("57014".equals(e.getSQLState())) {
                throw MoverFault.blocked(
                        "shard " + incarnation.source().shard() + ": no slot after " + LIMIT.toSeconds()
                                + " s, because a slot waits for all open write transactions: " + oldest(incarnation),
                        "end the transactions that are named; it is tried again");
            }
            throw incarnation.source().fault("create slot " + incarnation.slot(), e);
        }
    }

    /** The oldest write transaction, so that somebody can be asked about it. */
    private static String oldest(Incarnation incarnation) throws MoverFault {
        return incarnation.source().read("look for old transactions", connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            "SELECT pid, usename, application_name, extract(epoch FROM now() - xact_start)::bigint"
                                    + " FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid()"
                                    + " ORDER BY xact_start LIMIT 1")) {
                return row.next()
                        ? "pid %d user %s '%s' %d s"
                                .formatted(row.getInt(1), row.getString(2), row.getString(3), row.getLong(4))
                        : "the oldest has just ended";
            }
        });
    }

    LogSequenceNumber consistentPoint() {
        return consistentPoint;
    }

    /** Makes a transaction of another session of the source see exactly this snapshot. */
    void importInto(Connection reader) throws SQLException {
        reader.setAutoCommit(false);
        reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = reader.createStatement()) {
            statement.execute("SET TRANSACTION SNAPSHOT '" + snapshot + "'");
        }
    }

    @Override
    public void close() {
        incarnation.source().endGently(connection);
    }
}
