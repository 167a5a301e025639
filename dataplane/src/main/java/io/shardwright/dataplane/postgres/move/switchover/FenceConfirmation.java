package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.postgres.move.truth.DurableCommit;
import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.ScopeLock;
import io.shardwright.dataplane.postgres.move.truth.Side;
import io.shardwright.dataplane.postgres.move.truth.SourceClaim;
import io.shardwright.dataplane.postgres.move.truth.Standbys;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;

/**
 * After a lost or warned answer, and after a takeover: nobody knows whether the fence is durable. The lock is taken again
 * (an old transaction still holds it), the rows are read, and a fence that is there is written again by a commit of this
 * mover's own; its trace in the log is the marker then.
 */
final class FenceConfirmation {
    private final Incarnation incarnation;
    private final GroupEpochs group;

    FenceConfirmation(Incarnation incarnation, GroupEpochs group) {
        this.incarnation = incarnation;
        this.group = group;
    }

    /** @return empty when the source still owns the group and no fence was written */
    Optional<Standbys> run() throws MoverFault {
        return incarnation.step(MoverStep.CONFIRM_FENCE, this::confirm);
    }

    private Optional<Standbys> confirm() throws MoverFault {
        Duration pauseMax = incarnation.task().limits().pauseMax();
        Connection connection = incarnation.source().open(Duration.ofSeconds(30), pauseMax, Duration.ZERO);
        try {
            Side.endWhenFrozen(connection, pauseMax);
            connection.setAutoCommit(false);
            DurableCommit.demand(connection);
            lock(connection);
            SortedMap<Scope, FenceRow> rows = FenceRows.read(connection, group.scopes());
            if (rows.values().stream().allMatch(row -> row.state() == FenceState.OWNED)) {
                connection.rollback();
                return Optional.empty();
            }
            rewrite(connection);
            DurableCommit.answered(connection, incarnation.source().shard(), "confirm the fence");
            return Optional.of(incarnation.source().standbys(connection));
        } catch (SQLException e) {
            throw incarnation.source().fault("confirm the fence", e);
        } finally {
            incarnation.source().endGently(connection);
        }
    }

    private void lock(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(ScopeLock.IN_TRANSACTION)) {
            statement.setArray(1, group.names(connection));
            statement.execute();
        }
    }

    private void rewrite(Connection connection) throws SQLException, MoverFault {
        SourceClaim.lock(connection, incarnation.moveId(), incarnation.token());
        try (Statement token = connection.createStatement();
                PreparedStatement fence = connection.prepareStatement(
                        "UPDATE shardwright.fence f SET state = 'MOVED' FROM unnest(?::text[], ?::bigint[]) AS g"
                                + " (scope, epoch) WHERE f.scope = g.scope AND f.state = 'MOVED' AND f.epoch = g.epoch + 1"
                                + " AND f.move_id = ?")) {
            token.execute("SELECT pg_logical_emit_message(true, '" + Incarnation.TOKEN_PREFIX + "', '"
                    + incarnation.token() + "')");
            fence.setArray(1, group.names(connection));
            fence.setArray(2, group.epochs(connection));
            fence.setObject(3, incarnation.moveId());
            if (fence.executeUpdate() != group.size()) {
                throw MoverFault.blocked(
                        "shard " + incarnation.source().shard() + ": the fence of " + group.scopes()
                                + " is neither ours nor open",
                        "nothing: the fence rows of both shards are read again, and what they say is done");
            }
        }
    }
}
