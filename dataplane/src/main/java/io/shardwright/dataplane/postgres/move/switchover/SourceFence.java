package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.postgres.move.apply.Streaming;
import io.shardwright.dataplane.postgres.move.truth.DurableCommit;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.ScopeHolders;
import io.shardwright.dataplane.postgres.move.truth.ScopeLock;
import io.shardwright.dataplane.postgres.move.truth.Standbys;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.postgresql.PGStatement;

/**
 * 7b and 7c: one transaction of the source that waits until every writer of the group is gone, looks once more whether
 * nothing has changed, and writes the fence. Everything that can be done before the wait is done before it, and what has to
 * be inside takes two round trips: wait, look and write; commit, and who has it. The server ends the transaction by itself
 * when the mover freezes.
 */
final class SourceFence implements AutoCloseable {
    private final Incarnation incarnation;
    private final Streaming streaming;
    private final GroupEpochs group;
    private final Connection connection;
    private final PreparedStatement fence;
    private final PreparedStatement seal;
    private final Statement plain;

    SourceFence(Streaming streaming, GroupEpochs group, List<SequenceFloors.Floor> floors) throws MoverFault {
        this.streaming = streaming;
        this.group = group;
        incarnation = streaming.incarnation();
        connection = incarnation.source().open(Duration.ofSeconds(30), Duration.ofSeconds(5), Duration.ZERO);
        try {
            connection.setAutoCommit(false);
            plain = connection.createStatement();
            fence = prepared(fenceSql(floors));
            seal = prepared("COMMIT; " + Standbys.QUERY);
            rehearse();
        } catch (SQLException e) {
            incarnation.source().end(connection);
            throw incarnation.source().fault("open the session of the fence", e);
        }
    }

    /** Every statement has a snapshot of its own in READ COMMITTED, so all that stand behind the lock see what it waited for. */
    private static String fenceSql(List<SequenceFloors.Floor> floors) {
        return ScopeLock.IN_TRANSACTION
                + "; SELECT extract(epoch FROM clock_timestamp())::float8, shardwright.schema_identity();"
                + " SELECT token FROM shardwright.claim WHERE move_id = ? FOR SHARE; "
                + SequenceFloors.checkSql(floors)
                + "; SELECT pg_logical_emit_message(true, '" + Incarnation.TOKEN_PREFIX + "', ?);"
                + " UPDATE shardwright.fence f SET state = 'MOVED', epoch = f.epoch + 1, owner = ?, move_id = ?"
                + " FROM unnest(?::text[], ?::bigint[]) AS g (scope, epoch)"
                + " WHERE f.scope = g.scope AND f.state = 'OWNED' AND f.epoch = g.epoch";
    }

    private PreparedStatement prepared(String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        statement.unwrap(PGStatement.class).setPrepareThreshold(1);
        return statement;
    }

    /** All statements once, without a bucket and rolled back, so that plans and caches are warm. */
    private void rehearse() throws SQLException {
        plain.execute(openSql());
        bindFence(GroupEpochs.NONE);
        fence.execute();
        while (fence.getMoreResults() || fence.getUpdateCount() != -1) {
            // every result is read and none matters
        }
        connection.rollback();
        seal.execute();
        bindFence(group);
    }

    private String openSql() {
        Limits limits = incarnation.task().limits();
        return "SET LOCAL synchronous_commit = on; SET LOCAL statement_timeout = "
                + limits.drainTimeout().toMillis() + "; SET LOCAL idle_in_transaction_session_timeout = "
                + 2 * limits.drainTimeout().toMillis() + "; LOCK TABLE "
                + streaming.tables().sqlNames() + " IN ACCESS SHARE MODE; SELECT pg_try_advisory_xact_lock("
                + ScopeLock.DRAIN + ", 0)";
    }

    private void bindFence(GroupEpochs wanted) throws SQLException {
        fence.setArray(1, wanted.names(connection));
        fence.setObject(2, incarnation.moveId());
        fence.setString(3, incarnation.token());
        fence.setString(4, incarnation.target().shard());
        fence.setObject(5, incarnation.moveId());
        fence.setArray(6, wanted.names(connection));
        fence.setArray(7, wanted.epochs(connection));
    }

    /**
     * Opens the transaction; no writer waits for it yet. A fence that nobody could confirm would hold every writer for
     * nothing, so the standbys are looked at last before it.
     *
     * @return what stands in the way; empty = open
     */
    List<String> open() throws MoverFault {
        try {
            Optional<String> alone = incarnation.source().unconfirmable(connection);
            connection.rollback();
            if (alone.isPresent()) {
                return List.of(alone.get());
            }
            plain.execute(openSql());
            for (int i = 0; i < 4; i++) {
                plain.getMoreResults();
            }
            try (ResultSet row = plain.getResultSet()) {
                row.next();
                return row.getBoolean(1)
                        ? List.of()
                        : List.of("another switch drains shard "
                                + incarnation.source().shard());
            }
        } catch (SQLException e) {
            return blockersOf(e, "begin the fence");
        }
    }

    /**
     * 7b, and 7c without its commit.
     *
     * @return what stands in the way, and no writer waits any more; empty = the fence is written
     */
    List<String> write(HoldClock clock) throws MoverFault {
        try {
            fence.execute();
            String refused = refusal(clock);
            if (refused == null) {
                return List.of();
            }
            rollback();
            clock.gaveUp();
            return List.of(refused);
        } catch (SQLException e) {
            rollback();
            clock.gaveUp();
            return blockersOf(e, "drain writers and write the fence");
        }
    }

    private String refusal(HoldClock clock) throws SQLException, MoverFault {
        double queued = nextRow(false).seconds();
        Row look = nextRow(true);
        clock.drained(look.seconds() - queued);
        String token = nextRow(true).text();
        boolean belowFloors = "t".equals(nextRow(true).text());
        fence.getMoreResults(); // the token in the log
        fence.getMoreResults();
        int fenced = fence.getUpdateCount();
        if (!incarnation.token().equals(token)) {
            throw MoverFault.superseded();
        }
        if (!streaming.tables().identity().equals(look.text())) {
            throw MoverFault.schemaChanged("the sharded tables of shard "
                    + incarnation.source().shard() + " have changed since the copy began");
        }
        if (!belowFloors) {
            return "a sequence has outrun the margin on the target";
        }
        return fenced == group.size() ? null : "the fence rows of the source have changed";
    }

    /** @param seconds the first column where it is a moment, else 0; @param text the last column; null without a row */
    private record Row(double seconds, String text) {}

    private Row nextRow(boolean advance) throws SQLException {
        if (advance) {
            fence.getMoreResults();
        }
        try (ResultSet row = fence.getResultSet()) {
            if (!row.next()) {
                return new Row(0, null);
            }
            int columns = row.getMetaData().getColumnCount();
            return new Row(columns > 1 ? row.getDouble(1) : 0, row.getString(columns));
        }
    }

    /** A wait that took too long is no fault: somebody stands in the way, and has a name. */
    private List<String> blockersOf(SQLException e, String doing) throws MoverFault {
        if (!ScopeLock.timedOut(e)) {
            throw incarnation.source().fault(doing, e);
        }
        rollback();
        List<String> holders = incarnation
                .source()
                .read(
                        "look who holds the buckets",
                        connection -> ScopeHolders.blockers(
                                connection, group.scopes(), streaming.tables().quotedNames()));
        return holders.isEmpty()
                ? List.of("somebody who has ended meanwhile held the buckets or the tables on shard "
                        + incarnation.source().shard())
                : holders;
    }

    /**
     * Throws when the answer is lost or carries a warning: then nobody knows yet.
     *
     * @return who had the commit when it was answered, read by the server in the same round trip
     */
    Standbys commit() throws SQLException, MoverFault {
        if (incarnation.task().limits().acceptAsyncStandby()) {
            DurableCommit.answered(connection, incarnation.source().shard(), "commit the fence");
            return Standbys.ACCEPTED;
        }
        seal.execute();
        DurableCommit.unwarned(seal.getWarnings(), incarnation.source().shard(), "commit the fence");
        seal.getMoreResults();
        try (ResultSet row = seal.getResultSet()) {
            return Standbys.of(row, incarnation.source().replicated());
        }
    }

    void rollback() {
        try {
            connection.rollback();
        } catch (SQLException e) {
            incarnation.source().end(connection); // the server undoes it
        }
    }

    @Override
    public void close() {
        incarnation.source().endGently(connection);
    }
}
