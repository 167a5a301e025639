package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.postgres.move.apply.Streaming;
import io.shardwright.dataplane.postgres.move.truth.DurableCommit;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.Standbys;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.postgresql.PGStatement;

/**
 * 7b and 7c: one transaction of the source that waits until every writer of the group is gone, looks once more whether
 * nothing has changed, and writes the fence. Everything that can be done before the wait is done before it; the server ends
 * the transaction by itself when the mover freezes.
 */
final class SourceFence implements AutoCloseable {
    private final Incarnation incarnation;
    private final Streaming streaming;
    private final GroupEpochs group;
    private final Connection connection;
    private final PreparedStatement drain;
    private final PreparedStatement fence;
    private final Statement plain;
    private final PreparedStatement standbys;

    SourceFence(Streaming streaming, GroupEpochs group, List<SequenceFloors.Floor> floors) throws MoverFault {
        this.streaming = streaming;
        this.group = group;
        incarnation = streaming.incarnation();
        connection = incarnation.source().open(Duration.ofSeconds(30), Duration.ofSeconds(5), Duration.ZERO);
        try {
            plain = connection.createStatement();
            standbys = Standbys.prepare(connection);
            drain = prepared("SELECT pg_advisory_xact_lock(7001, b)"
                    + " FROM (SELECT unnest(?::int[]) AS b ORDER BY 1) AS ascending");
            fence = prepared("SELECT shardwright.schema_identity();"
                    + " SELECT token FROM shardwright.claim WHERE move_id = ? FOR SHARE; "
                    + SequenceFloors.checkSql(floors)
                    + "; SELECT pg_logical_emit_message(true, 'shardwright.token', ?);"
                    + " UPDATE shardwright.fence f SET state = 'MOVED', epoch = f.epoch + 1, owner = ?, move_id = ?"
                    + " FROM unnest(?::text[], ?::bigint[]) AS g (scope, epoch)"
                    + " WHERE f.scope = g.scope AND f.state = 'OWNED' AND f.epoch = g.epoch");
            rehearse();
        } catch (SQLException e) {
            throw incarnation.source().fault("open the session of the fence", e);
        }
    }

    private PreparedStatement prepared(String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        statement.unwrap(PGStatement.class).setPrepareThreshold(1);
        return statement;
    }

    /** All statements once, without a bucket and rolled back, so that plans and caches are warm. */
    private void rehearse() throws SQLException {
        connection.setAutoCommit(false);
        plain.execute(openSql());
        drain.setArray(1, connection.createArrayOf("int4", new Object[0]));
        drain.execute();
        bindFence(GroupEpochs.NONE);
        fence.execute();
        while (fence.getMoreResults() || fence.getUpdateCount() != -1) {
            // every result is read and none matters
        }
        connection.rollback();
        drain.setArray(1, connection.createArrayOf("int4", group.buckets().toArray()));
        bindFence(group);
    }

    private String openSql() {
        Limits limits = incarnation.task().limits();
        return "SET LOCAL synchronous_commit = on; SET LOCAL statement_timeout = "
                + limits.drainTimeout().toMillis() + "; SET LOCAL idle_in_transaction_session_timeout = "
                + 2 * limits.drainTimeout().toMillis() + "; LOCK TABLE "
                + streaming.tables().sqlNames() + " IN ACCESS SHARE MODE; SELECT pg_try_advisory_xact_lock(7003, 0)";
    }

    private void bindFence(GroupEpochs wanted) throws SQLException {
        fence.setObject(1, incarnation.moveId());
        fence.setString(2, incarnation.token());
        fence.setString(3, incarnation.target().shard());
        fence.setObject(4, incarnation.moveId());
        fence.setArray(5, wanted.scopes(connection));
        fence.setArray(6, wanted.epochs(connection));
    }

    /** Opens the transaction. @return false when another switch drains this database */
    boolean open() throws MoverFault {
        try {
            plain.execute(openSql());
            for (int i = 0; i < 4; i++) {
                plain.getMoreResults();
            }
            try (ResultSet row = plain.getResultSet()) {
                row.next();
                return row.getBoolean(1);
            }
        } catch (SQLException e) {
            throw incarnation.source().fault("begin the fence", e);
        }
    }

    /** 7b. @return false when a writer did not end in time */
    boolean drain() throws MoverFault {
        try {
            drain.execute();
            return true;
        } catch (SQLException e) {
            if (timedOut(e)) {
                return false;
            }
            throw incarnation.source().fault("drain writers", e);
        }
    }

    /** 7c without its commit. @return null, or why the group cannot be fenced */
    String write() throws MoverFault {
        try {
            fence.execute();
            String identity = nextText(false);
            String token = nextText(true);
            boolean belowFloors = "t".equals(nextText(true));
            fence.getMoreResults(); // the token in the log
            fence.getMoreResults();
            int fenced = fence.getUpdateCount();
            if (!incarnation.token().equals(token)) {
                throw MoverFault.superseded();
            }
            if (!streaming.tables().identity().equals(identity)) {
                throw MoverFault.schemaChanged("the sharded tables of shard "
                        + incarnation.source().shard() + " have changed since the copy began");
            }
            if (!belowFloors) {
                return "a sequence has outrun the margin on the target";
            }
            return fenced == group.size() ? null : "the fence rows of the source have changed";
        } catch (SQLException e) {
            throw incarnation.source().fault("write the fence", e);
        }
    }

    private String nextText(boolean advance) throws SQLException {
        if (advance) {
            fence.getMoreResults();
        }
        try (ResultSet row = fence.getResultSet()) {
            return row.next() ? row.getString(1) : null;
        }
    }

    /** Throws when the answer is lost or carries a warning: then nobody knows yet. */
    void commit() throws SQLException, MoverFault {
        DurableCommit.answered(connection, incarnation.source().shard(), "commit the fence");
    }

    /** The one read after the commit, which the activation compares with the marker's position. */
    Standbys standbys() throws SQLException {
        return Standbys.read(standbys);
    }

    void rollback() {
        try {
            connection.rollback();
        } catch (SQLException e) {
            incarnation.source().end(connection); // the server undoes it
        }
    }

    static boolean timedOut(SQLException e) {
        return "57014".equals(e.getSQLState()) || "55P03".equals(e.getSQLState());
    }

    @Override
    public void close() {
        incarnation.source().endGently(connection);
    }
}
