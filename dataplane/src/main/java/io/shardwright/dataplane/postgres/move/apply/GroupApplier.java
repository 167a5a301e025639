package io.shardwright.dataplane.postgres.move.apply;

import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.postgresql.replication.LogSequenceNumber;

/**
 * Writes groups of source transactions to the target, each in one transaction that first moves the progress row on from
 * exactly where this mover left it (token and position), then reads the fence rows FOR SHARE. So a zombie, a target that
 * has lost commits, and a decision against the move are all found before a row is written.
 */
public final class GroupApplier {
    private final Incarnation incarnation;
    private final Set<Integer> importing;
    private final Connection connection;
    private final RowWriter rows;
    private final PreparedStatement open;
    private final PreparedStatement advance;
    private volatile LogSequenceNumber position;
    private boolean inGroup;

    GroupApplier(Incarnation incarnation, Set<Integer> importing, LogSequenceNumber position) throws MoverFault {
        this.incarnation = incarnation;
        this.importing = importing;
        this.position = position;
        connection = incarnation.target().open(Duration.ofSeconds(60), Duration.ofSeconds(30), Duration.ofSeconds(10));
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET session_replication_role = replica; SET synchronous_commit = off;"
                    + " SET idle_in_transaction_session_timeout = "
                    + incarnation.task().limits().pauseMax().toMillis());
            connection.setAutoCommit(false);
            String move = "UPDATE shardwright.move_progress SET position = ?::pg_lsn"
                    + " WHERE move_id = ? AND direction = 'F' AND token = ? AND position = ?::pg_lsn";
            open = connection.prepareStatement(move + "; SELECT count(*) FROM (SELECT FROM shardwright.fence"
                    + " WHERE scope = ANY (?) AND state = 'IMPORTING' AND move_id = ? FOR SHARE) AS ours");
            advance = connection.prepareStatement(move);
        } catch (SQLException e) {
            throw incarnation.target().fault("open the applier's session", e);
        }
        rows = new RowWriter(connection);
    }

    /** The session of the applier; only its thread uses it. */
    public Connection connection() {
        return connection;
    }

    public LogSequenceNumber position() {
        return position;
    }

    boolean inGroup() {
        return inGroup;
    }

    /** Begins a group. @param end where the progress row goes: the end of the group, or the old position if not known yet */
    public void open(LogSequenceNumber end) throws SQLException, MoverFault {
        Set<Integer> expected = new TreeSet<>(importing);
        bindMove(open, end);
        open.setArray(5, FenceRows.scopes(connection, expected));
        open.setObject(6, incarnation.moveId());
        inGroup = true;
        open.execute();
        if (open.getUpdateCount() != 1) {
            throw notOurs();
        }
        open.getMoreResults();
        try (ResultSet ours = open.getResultSet()) {
            ours.next();
            if (ours.getInt(1) != expected.size()) {
                throw MoverFault.decidedAgainst(new TreeSet<>(expected));
            }
        }
        position = end;
    }

    private void bindMove(PreparedStatement statement, LogSequenceNumber end) throws SQLException {
        statement.setString(1, end.asString());
        statement.setObject(2, incarnation.moveId());
        statement.setString(3, incarnation.token());
        statement.setString(4, position.asString());
    }

    /** Zero rows: another mover took over, or the target lost what this one had committed. */
    private MoverFault notOurs() throws SQLException, MoverFault {
        connection.rollback();
        boolean ours = ProgressRow.read(connection, incarnation.moveId())
                .map(row -> row.token().equals(incarnation.token()))
                .orElse(false);
        return ours
                ? MoverFault.positionLost("shard " + incarnation.target().shard()
                        + ": the progress row is not where this mover left it, so the target has lost commits")
                : MoverFault.superseded();
    }

    public void write(List<RowChange> changes) throws SQLException, MoverFault {
        rows.write(changes);
    }

    /** Moves on to the end of a group that was opened without knowing it. */
    void advance(LogSequenceNumber end) throws SQLException, MoverFault {
        if (end.equals(position)) {
            return;
        }
        bindMove(advance, end);
        if (advance.executeUpdate() != 1) {
            throw notOurs();
        }
        position = end;
    }

    public void commit() throws SQLException {
        connection.commit();
        inGroup = false;
    }

    /** These buckets do not travel any more: rows of them that the source still writes or deletes are not ours. */
    public void activated(Collection<Integer> buckets) {
        importing.removeAll(buckets);
        inGroup = false;
    }

    /** The server undoes what is open. */
    void close() {
        incarnation.target().end(connection);
    }
}
