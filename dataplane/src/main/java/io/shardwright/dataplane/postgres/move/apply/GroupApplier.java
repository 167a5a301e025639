package io.shardwright.dataplane.postgres.move.apply;

import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.KeyRows;
import io.shardwright.dataplane.postgres.move.truth.KeyTombstones;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;
import io.shardwright.dataplane.postgres.move.truth.WritableRows;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.postgresql.PGStatement;
import org.postgresql.replication.LogSequenceNumber;

/**
 * Writes groups of source transactions to the target, each in one transaction that first moves the progress row on from
 * exactly where this mover left it (token and position), then reads the fence rows of the buckets it writes FOR SHARE. So a zombie, a target that
 * has lost commits, and a decision against the move are all found before a row is written.
 */
public final class GroupApplier {
    /** A garbage collection is no frozen mover. */
    private static final long SHORTEST_IDLE_MILLIS = 1_000;

    private static final String MOVE = "UPDATE shardwright.move_progress SET position = ?::pg_lsn"
            + " WHERE move_id = ? AND direction = ? AND token = ? AND position = ?::pg_lsn";
    private static final String CHECK = "; SELECT count(*) FROM (SELECT FROM shardwright.fence"
            + " WHERE scope = ANY (?) AND " + WritableRows.CONDITION + " ORDER BY scope FOR SHARE) AS ours";
    private static final String SWAP =
            "; UPDATE shardwright.fence f SET state = 'OWNED', epoch = f.epoch + 1, owner = ?, overrides = "
                    + KeyRows.COUNT
                    + " FROM unnest(?::text[], ?::bigint[]) AS g (scope, epoch)"
                    + " WHERE f.scope = g.scope AND f.state = 'IMPORTING' AND f.move_id = ? AND f.epoch = g.epoch";

    private final Incarnation incarnation;
    private final List<FenceRow> tombstones;
    private final Set<Scope> importing;
    private final Connection connection;
    private final RowWriter rows;
    private final PreparedStatement open;
    private final PreparedStatement advance;
    private final PreparedStatement activate;
    private volatile LogSequenceNumber position;
    private final Set<Scope> locked = new HashSet<>();
    private boolean inGroup;

    /** @param tombstones of keys that do not come with their buckets */
    GroupApplier(Incarnation incarnation, Set<Scope> importing, LogSequenceNumber position, List<FenceRow> tombstones)
            throws MoverFault {
        this.tombstones = tombstones;
        this.incarnation = incarnation;
        this.importing = importing;
        this.position = position;
        connection = incarnation.target().open(Duration.ofSeconds(60), Duration.ofSeconds(30), Duration.ofSeconds(10));
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET session_replication_role = replica; SET synchronous_commit = off");
            connection.setAutoCommit(false);
            open = prepared(MOVE + CHECK);
            advance = prepared(MOVE);
            activate = prepared("SELECT set_config('synchronous_commit', 'on', true),"
                    + " set_config('idle_in_transaction_session_timeout', '" + frozenAfterMillis() + "', true); " + MOVE
                    + CHECK + (tombstones.isEmpty() ? "" : "; " + KeyTombstones.WRITE) + SWAP);
            rehearse();
        } catch (SQLException e) {
            incarnation.target().end(connection);
            throw incarnation.target().fault("open the applier's session", e);
        }
        rows = new RowWriter(connection);
    }

    /**
     * Only an activation holds what others wait for, and gives it up when its mover freezes. Any other group may stay open
     * for long while the source sends what does not travel; whoever takes the move over ends its session.
     */
    private long frozenAfterMillis() {
        return Math.max(
                SHORTEST_IDLE_MILLIS, incarnation.task().limits().pauseMax().toMillis());
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

    private PreparedStatement prepared(String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        statement.unwrap(PGStatement.class).setPrepareThreshold(1);
        return statement;
    }

    /** The statements of an activation once, rolled back, so that the first real one finds them planned. */
    private void rehearse() throws SQLException {
        bindActivation(position, new TreeMap<>(), Set.of());
        activate.execute();
        connection.rollback();
    }

    /**
     * Begins a group.
     *
     * @param end where the progress row goes: the end of the group, or the old position if not known yet
     * @param written buckets whose rows will be written; more may be locked later
     */
    public void open(LogSequenceNumber end, Set<Scope> written) throws SQLException, MoverFault {
        bindMove(open, 1, end);
        bindCheck(open, 6, written);
        inGroup = true;
        open.execute();
        checkOpened(open, written);
        position = end;
    }

    /** Makes sure that rows of these buckets may be written, too, in the group that is open. */
    void lock(Set<Scope> written) throws SQLException, MoverFault {
        if (!locked.containsAll(written)) {
            WritableRows.lock(connection, incarnation, written);
            locked.addAll(written);
        }
    }

    /**
     * Begins the group of an activation: progress and fence rows in one round trip; the tail's rows follow in the same
     * transaction.
     *
     * @param epochs of the buckets, as they are IMPORTING
     * @param written buckets of the tail, whether they are activated or not
     * @return fence rows that were swapped
     */
    public int openActivation(LogSequenceNumber end, SortedMap<Scope, Long> epochs, Set<Scope> written)
            throws SQLException, MoverFault {
        bindActivation(end, epochs, written);
        inGroup = true;
        activate.execute();
        activate.getMoreResults();
        checkOpened(activate, written);
        if (!tombstones.isEmpty()) {
            activate.getMoreResults();
        }
        activate.getMoreResults();
        position = end;
        return activate.getUpdateCount();
    }

    private void bindActivation(LogSequenceNumber end, SortedMap<Scope, Long> epochs, Set<Scope> written)
            throws SQLException {
        bindMove(activate, 1, end);
        bindCheck(activate, 6, written);
        int swap = bindTombstones(9, epochs.keySet());
        activate.setString(swap, incarnation.target().shard());
        activate.setArray(swap + 1, FenceRows.scopes(connection, epochs.keySet()));
        activate.setArray(
                swap + 2, connection.createArrayOf("int8", epochs.values().toArray()));
        activate.setObject(swap + 3, incarnation.moveId());
    }

    /** A bucket without keys that live apart costs no statement in the hold. @return place of the next parameter */
    private int bindTombstones(int from, Set<Scope> activated) throws SQLException {
        if (tombstones.isEmpty()) {
            return from;
        }
        List<FenceRow> theirs = tombstones.stream()
                .filter(row -> activated.contains(row.scope().ofBucket()))
                .toList();
        return KeyTombstones.bind(connection, activate, from, theirs);
    }

    private void bindCheck(PreparedStatement statement, int from, Set<Scope> written) throws SQLException {
        statement.setArray(from, FenceRows.scopes(connection, written));
        WritableRows.bind(statement, from + 1, incarnation);
    }

    private void checkOpened(PreparedStatement statement, Set<Scope> written) throws SQLException, MoverFault {
        if (statement.getUpdateCount() != 1) {
            throw notOurs();
        }
        statement.getMoreResults();
        try (ResultSet ours = statement.getResultSet()) {
            ours.next();
            if (ours.getInt(1) != written.size()) {
                throw WritableRows.lost(connection, incarnation, written);
            }
        }
        locked.clear();
        locked.addAll(written);
    }

    private void bindMove(PreparedStatement statement, int from, LogSequenceNumber end) throws SQLException {
        statement.setString(from, end.asString());
        statement.setObject(from + 1, incarnation.moveId());
        statement.setString(from + 2, incarnation.direction());
        statement.setString(from + 3, incarnation.token());
        statement.setString(from + 4, position.asString());
    }

    /** Zero rows: another mover took over, or the target lost what this one had committed. */
    private MoverFault notOurs() throws SQLException, MoverFault {
        connection.rollback();
        boolean ours = ProgressRow.read(connection, incarnation)
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
        bindMove(advance, 1, end);
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
    public void activated(Collection<Scope> scopes) {
        importing.removeAll(scopes);
        inGroup = false;
    }

    /** The server undoes what is open. */
    void close() {
        incarnation.target().end(connection);
    }
}
