package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.postgres.move.truth.CleanupRecords;
import io.shardwright.dataplane.postgres.move.truth.DurableCommit;
import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.ScopeHolders;
import io.shardwright.dataplane.postgres.move.truth.ScopeLock;
import io.shardwright.dataplane.postgres.move.truth.Side;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The end of two owners. The protocol never writes a second one, so a failover or a restore has lost a commit; and because
 * epochs only grow, the row with the lower epoch is the one that the lost commit had closed. It becomes a tombstone that leads
 * to the other owner: the state that was lost, except for the rows that were taken meanwhile.
 *
 * <p>This makes nobody an owner, and both rows are read again under the bucket's exclusive lock, so whoever does it late, or
 * once more, changes nothing. The record that keeps those rows from being deleted is part of the same transaction. A commit that a second
 * failover loses leaves two owners again, and nothing else has happened: to delete the rows, the tombstone must be there.
 */
public final class Demotion {
    private final Incarnation incarnation;

    public Demotion(Incarnation incarnation) {
        this.incarnation = incarnation;
    }

    /**
     * Each bucket has a transaction of its own: a writer who stays in one of them keeps no other open.
     *
     * @throws MoverFault when a bucket has two owners still: writers did not leave it in time, or both have the same epoch
     */
    public void run(Truth seen) throws MoverFault {
        List<MoverFault> open = new ArrayList<>();
        for (Scope scope : incarnation.task().scopes()) {
            try {
                close(scope, seen.source().get(scope), seen.target().get(scope));
            } catch (MoverFault fault) {
                if (fault.kind() == Kind.UNREACHABLE) {
                    throw fault;
                }
                open.add(fault);
            }
        }
        if (!open.isEmpty()) {
            throw open.getFirst();
        }
    }

    private void close(Scope scope, FenceRow source, FenceRow target) throws MoverFault {
        if (isOlder(source, target)) {
            close(incarnation.source(), incarnation.target(), scope);
        } else if (isOlder(target, source)) {
            close(incarnation.target(), incarnation.source(), scope);
        } else if (owns(source) && owns(target)) {
            throw undecided(scope, source.epoch());
        }
    }

    private static boolean isOlder(FenceRow row, FenceRow other) {
        return owns(row) && owns(other) && row.epoch() < other.epoch();
    }

    private static boolean owns(FenceRow row) {
        return row != null && row.state() == FenceState.OWNED;
    }

    private void close(Side older, Side younger, Scope scope) throws MoverFault {
        Limits limits = incarnation.task().limits();
        incarnation.step(
                MoverStep.DEMOTE_OWNER,
                () -> older.commitInHaste(
                        limits.drainTimeout(), limits.pauseMax(), "close the older owner", connection -> {
                            DurableCommit.demand(connection);
                            lock(connection, older, scope);
                            demote(connection, older, younger, scope);
                            return null;
                        }));
    }

    /** Waits for writers in flight no longer than a drain does. */
    private void lock(Connection connection, Side older, Scope scope) throws SQLException, MoverFault {
        try (PreparedStatement statement = connection.prepareStatement(ScopeLock.IN_TRANSACTION)) {
            statement.setArray(1, FenceRows.scopes(connection, Set.of(scope)));
            statement.execute();
        } catch (SQLException e) {
            if (ScopeLock.timedOut(e)) {
                throw held(older, scope);
            }
            throw e;
        }
    }

    /** Both rows as they are behind the lock: what was seen before it may be long ago. */
    private void demote(Connection connection, Side older, Side younger, Scope scope) throws SQLException, MoverFault {
        FenceRow row = row(connection, scope);
        FenceRow owner = younger.read("read the fence of the other owner", other -> row(other, scope));
        if (scope.isKey() && (row == null || owner == null)) {
            throw undecided(scope);
        }
        if (!isOlder(row, owner)) {
            return;
        }
        CleanupRecords.recordDemoted(connection, incarnation.moveId(), incarnation.token(), scope);
        FenceRow tombstone = new FenceRow(scope, FenceState.MOVED, owner.epoch(), younger.shard(), owner.moveId());
        if (!FenceRows.swap(connection, row, tombstone)) {
            throw twoOwners(
                    "shard " + older.shard() + ": " + scope.words() + " changed while its older owner was closed",
                    "nothing: it is read and tried again");
        }
    }

    private static FenceRow row(Connection connection, Scope scope) throws SQLException {
        return FenceRows.read(connection, Set.of(scope)).get(scope);
    }

    private MoverFault held(Side older, Scope scope) throws MoverFault {
        return twoOwners(
                ScopeHolders.stayed(
                        older, scope, Set.of(scope), incarnation.task().limits().drainTimeout()),
                "end these transactions, or wait for their end; it is tried again in a few seconds");
    }

    private MoverFault undecided(Scope scope, long epoch) {
        return twoOwners(
                "shards " + incarnation.source().shard() + " and "
                        + incarnation.target().shard() + " own " + scope.words() + " with the same epoch " + epoch
                        + ", so neither is the older owner",
                "find out which of them lost a commit (runbook ShardwrightTwoOwners); nothing is written until then");
    }

    /** A shard that owns the bucket and has no row of the key has lost it, or never had one; the epochs of the two say nothing. */
    private static MoverFault undecided(Scope key) {
        return twoOwners(
                "key " + key + " is owned by a fence row of its own on one shard, and on the other with bucket "
                        + key.bucket(),
                "find out which of them lost a commit (runbook ShardwrightTwoOwners); nothing is written until then");
    }

    private static MoverFault twoOwners(String seen, String nextAction) {
        return new MoverFault(Kind.TWO_OWNERS, true, seen, nextAction, null);
    }
}
