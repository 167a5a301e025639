package io.shardwright.dataplane.postgres.move.keys;

import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.KeyRows;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;
import io.shardwright.dataplane.postgres.move.truth.Side;
import io.shardwright.dataplane.postgres.move.truth.SourceClaim;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The opposite of a split: where one shard owns a bucket and, by a row of its own, a key of it, the row of the key goes, and the
 * bucket's row decides about it as about any other. What the key's row says and the bucket's row says is the same, so no write is
 * taken or refused differently; a key that another shard owns is never touched.
 *
 * <p>The bucket takes the epoch of the key over where that is higher. A key that is split off again begins with its bucket's epoch, and
 * so with one that no tombstone of its life before is newer than; there are such on shards that nobody has gone to since.
 */
public final class KeyFold {
    private final Incarnation mover;
    private final Side side;

    /** @param side the one that owns the buckets */
    public KeyFold(Incarnation mover, Side side) {
        this.mover = mover;
        this.side = side;
    }

    /** May be done again: keys without a row, or whose bucket is not owned here, are left alone. @return the longest hold, in ms */
    public double run(Collection<Scope> keys) throws MoverFault {
        double longest = 0;
        for (Map.Entry<FenceRow, List<FenceRow>> bucket : foldable(keys).entrySet()) {
            FenceRow owned = bucket.getKey();
            List<FenceRow> mine = bucket.getValue();
            longest = Math.max(longest, mover.step(MoverStep.FOLD_KEYS, () -> fold(owned, mine)));
        }
        return longest;
    }

    private Map<FenceRow, List<FenceRow>> foldable(Collection<Scope> keys) throws MoverFault {
        return side.read("read the fence", connection -> {
            Map<FenceRow, List<FenceRow>> foldable = new TreeMap<>(java.util.Comparator.comparing(FenceRow::scope));
            SortedMap<Scope, FenceRow> buckets = FenceRows.read(connection, Scope.buckets(Scope.bucketsOf(keys)));
            for (FenceRow key : FenceRows.read(connection, keys).values()) {
                FenceRow bucket = buckets.get(key.scope().ofBucket());
                if (key.state() == FenceState.OWNED && bucket != null && bucket.state() == FenceState.OWNED) {
                    foldable.computeIfAbsent(bucket, one -> new ArrayList<>()).add(key);
                }
            }
            return foldable;
        });
    }

    private double fold(FenceRow bucket, List<FenceRow> keys) throws MoverFault {
        SortedSet<Scope> folded = keys.stream().map(FenceRow::scope).collect(Collectors.toCollection(TreeSet::new));
        SortedSet<Scope> held = new TreeSet<>(folded);
        held.add(bucket.scope());
        return new ShortHold(mover, side, held).run("fold keys back", connection -> {
            requireToken(connection);
            requireUnchanged(connection, bucket);
            for (FenceRow key : keys) {
                requireUnchanged(connection, key);
            }
            KeyRows.drop(connection, folded);
            long newest = keys.stream().mapToLong(FenceRow::epoch).max().orElseThrow();
            KeyRows.recount(connection, List.of(bucket.bucket()), newest);
            return null;
        });
    }

    private void requireToken(Connection connection) throws SQLException, MoverFault {
        if (side == mover.target()) {
            ProgressRow.lock(connection, mover);
        } else {
            SourceClaim.lock(connection, mover.moveId(), mover.token());
        }
    }

    private void requireUnchanged(Connection connection, FenceRow seen) throws SQLException, MoverFault {
        if (!KeyRows.lock(connection, seen)) {
            throw MoverFault.blocked(
                    "shard " + side.shard() + ": the fence row of "
                            + (seen.scope().isKey() ? "key " : "bucket ") + seen.scope() + " is not as it was seen",
                    "nothing: it is read and tried again");
        }
    }
}
