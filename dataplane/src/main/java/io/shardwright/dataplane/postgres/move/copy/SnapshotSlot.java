package io.shardwright.dataplane.postgres.move.copy;

import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.SourceClaim;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.postgresql.replication.LogSequenceNumber;

/**
 * A new persistent slot and the snapshot that belongs to it: what the snapshot does not see, the slot streams. The snapshot
 * can be imported while this object is open.
 */
public final class SnapshotSlot implements AutoCloseable {
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

    /** Also when another mover took over meanwhile, no slot is left that nobody knows. */
    public static SnapshotSlot create(Incarnation incarnation) throws MoverFault {
        SnapshotSlot slot = make(incarnation);
        try {
            slot.requireClaim();
            return slot;
        } catch (MoverFault fault) {
            slot.close();
            if (fault.kind() == Kind.SUPERSEDED) {
                slot.drop();
            }
            throw fault;
        }
    }

    /** A successor ends the sessions of this mover, so the first look may fail where a second one tells. */
    private void requireClaim() throws MoverFault {
        try {
            lookAtClaim();
        } catch (MoverFault fault) {
            if (fault.kind() != Kind.UNREACHABLE) {
                throw fault;
            }
            lookAtClaim();
        }
    }

    private void lookAtClaim() throws MoverFault {
        incarnation.source().read("look whether the claim holds", session -> {
            SourceClaim.lock(session, incarnation.moveId(), incarnation.token());
            return null;
        });
    }

    private static SnapshotSlot make(Incarnation incarnation) throws MoverFault {
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
            throw fault(incarnation, e);
        }
    }

    private static MoverFault fault(Incarnation incarnation, SQLException e) throws MoverFault {
        String shard = "shard " + incarnation.source().shard();
        return switch (e.getSQLState()) {
            case "57014" ->
                MoverFault.blocked(
                        shard + ": no slot after " + LIMIT.toSeconds()
                                + " s, because a slot waits for all open write transactions: " + oldest(incarnation),
                        "end the transactions that are named; it is tried again");
            case "42710" ->
                MoverFault.blocked(
                        shard + ": an older mover of this move has made slot " + incarnation.slot() + " meanwhile",
                        "nothing: the slot is dropped and made again");
            case null, default -> incarnation.source().fault("create slot " + incarnation.slot(), e);
        };
    }

    /** Ours is the one that begins here; a successor's has the same name and begins later. */
    private void drop() throws MoverFault {
        incarnation.source().outsideTransaction("drop slot " + incarnation.slot(), connection -> {
            try (PreparedStatement statement = connection.prepareStatement(
                    "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = ?"
                            + " AND confirmed_flush_lsn = ?::pg_lsn AND active_pid IS NULL")) {
                statement.setString(1, incarnation.slot());
                statement.setString(2, consistentPoint.asString());
                statement.execute();
                return null;
            }
        });
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

    /** The slot streams what is committed behind it. */
    public LogSequenceNumber consistentPoint() {
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
