package io.shardwright.dataplane.postgres.move.keys;

import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.KeyRows;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;
import io.shardwright.dataplane.postgres.move.truth.SourceClaim;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Tombstones of keys are needed where their bucket is owned, and only there: else its owner would take writes of a key that has gone.
 * Elsewhere the bucket is not owned, and a key without a row is refused as its bucket is.
 */
public final class TombstonesOfKeys {
    private final Incarnation mover;

    public TombstonesOfKeys(Incarnation mover) {
        this.mover = mover;
    }

    /** On the source, of keys that this move has brought away and whose rows are gone. */
    public void drop(Collection<Scope> keys) throws MoverFault {
        if (!keys.isEmpty()) {
            mover.step(
                    MoverStep.DROP_TOMBSTONES,
                    () -> mover.source().commit("drop tombstones of keys", connection -> drop(connection, keys)));
        }
    }

    private Void drop(Connection connection, Collection<Scope> keys) throws SQLException, MoverFault {
        SourceClaim.lock(connection, mover.moveId(), mover.token());
        SortedMap<Scope, FenceRow> buckets = FenceRows.readForShare(connection, Scope.buckets(Scope.bucketsOf(keys)));
        SortedSet<Scope> gone = new TreeSet<>();
        for (FenceRow row : FenceRows.read(connection, keys).values()) {
            boolean tombstone =
                    row.state() == FenceState.MOVED && mover.moveId().equals(row.moveId());
            if (tombstone && !owned(buckets.get(row.scope().ofBucket())) && KeyRows.lock(connection, row)) {
                gone.add(row.scope());
            }
        }
        KeyRows.drop(connection, gone);
        return null;
    }

    /**
     * On a target that owns the bucket, after a decision against the move: who owns the key has to be said there again.
     *
     * @param against keys whose source is the owner again, durably
     */
    public void restore(Collection<Scope> against) throws MoverFault {
        if (against.isEmpty()) {
            return;
        }
        SortedMap<Scope, FenceRow> owners =
                mover.source().read("read the fence", connection -> FenceRows.read(connection, against));
        mover.step(
                MoverStep.RESTORE_TOMBSTONE,
                () -> mover.target().commit("restore tombstones", connection -> restore(connection, against, owners)));
    }

    private Void restore(Connection connection, Collection<Scope> against, SortedMap<Scope, FenceRow> owners)
            throws SQLException, MoverFault {
        ProgressRow.lock(connection, mover);
        SortedMap<Scope, FenceRow> buckets =
                FenceRows.readForShare(connection, Scope.buckets(Scope.bucketsOf(against)));
        for (FenceRow row : FenceRows.read(connection, against).values()) {
            FenceRow owner = owners.get(row.scope());
            boolean ours = row.state() == FenceState.ABORTED && mover.moveId().equals(row.moveId());
            if (ours && owned(buckets.get(row.scope().ofBucket()))) {
                requireOwner(row.scope(), owner);
                FenceRow tombstone = new FenceRow(
                        row.scope(),
                        FenceState.MOVED,
                        owner.epoch(),
                        mover.source().shard(),
                        mover.moveId());
                FenceRows.swap(connection, row, tombstone);
            }
        }
        return null;
    }

    private void requireOwner(Scope key, FenceRow owner) throws MoverFault {
        if (!owned(owner)) {
            throw MoverFault.blocked(
                    key.words() + " is not owned by shard " + mover.source().shard() + " again",
                    "nothing: the fence rows are read again, and what they say is done");
        }
    }

    private static boolean owned(FenceRow row) {
        return row != null && row.state() == FenceState.OWNED;
    }
}
