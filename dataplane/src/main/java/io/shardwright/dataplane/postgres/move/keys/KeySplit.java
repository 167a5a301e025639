package io.shardwright.dataplane.postgres.move.keys;

import io.shardwright.dataplane.MoveReport.KeyHold;
import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.KeyRows;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.Side;
import io.shardwright.dataplane.postgres.move.truth.SourceClaim;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Keys get fence rows of their own where their bucket is owned. No data and no route changes: the row says what the bucket's row
 * says. From then on the bucket may stay while the key goes.
 *
 * <p>The row of the bucket is found exactly as it was seen, or nothing happens: a split that came after the bucket had moved would
 * make its old owner take writes of the key. And the claim is looked for: the epoch of a bucket is the same after a split, so it
 * alone would not tell an old mover that this was done, undone, and is somebody else's now.
 */
public final class KeySplit {
    private final Incarnation mover;
    private final Consumer<KeyHold> holds;
    private final Side side;

    /** @param holds told each hold of a bucket */
    public KeySplit(Incarnation mover, Consumer<KeyHold> holds) {
        this.mover = mover;
        this.holds = holds;
        side = mover.source();
    }

    /** May be done again: a key that has a row keeps it. */
    public void run(SortedSet<Scope> keys) throws MoverFault {
        for (Map.Entry<FenceRow, SortedSet<Scope>> bucket : unsplit(keys).entrySet()) {
            mover.step(MoverStep.SPLIT_KEYS, () -> split(bucket.getKey(), bucket.getValue()));
        }
    }

    /** Keys without a row whose bucket is owned here; the others are what their row says, or nothing at all. */
    private Map<FenceRow, SortedSet<Scope>> unsplit(SortedSet<Scope> keys) throws MoverFault {
        return side.read("read the fence", connection -> {
            SortedSet<Scope> without = new TreeSet<>(keys);
            without.removeAll(FenceRows.read(connection, keys).keySet());
            return KeysOfBuckets.owned(connection, without);
        });
    }

    private Void split(FenceRow bucket, SortedSet<Scope> keys) throws MoverFault {
        double held = new ShortHold(mover, side, Set.of(bucket.scope())).run("split keys off", connection -> {
            SourceClaim.lock(connection, mover.moveId(), mover.token());
            if (!KeyRows.lock(connection, bucket)) {
                throw MoverFault.blocked(
                        "shard " + side.shard() + ": " + bucket.scope().words() + " is not owned as it was seen",
                        "nothing: it is read and tried again");
            }
            insert(connection, bucket, keys);
            KeyRows.recount(connection, Set.of(bucket.bucket()));
            return null;
        });
        holds.accept(new KeyHold(KeyHold.Cause.SPLIT, held));
        return null;
    }

    private void insert(Connection connection, FenceRow bucket, SortedSet<Scope> keys) throws SQLException {
        for (Scope key : keys) {
            KeyRows.insert(connection, new FenceRow(key, FenceState.OWNED, bucket.epoch(), side.shard(), null));
        }
    }
}
