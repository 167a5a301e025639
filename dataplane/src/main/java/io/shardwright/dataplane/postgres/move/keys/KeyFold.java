package io.shardwright.dataplane.postgres.move.keys;

import io.shardwright.dataplane.MoveReport.KeyHold;
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
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
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
    private final Consumer<KeyHold> holds;

    /** @param side the one that owns the buckets; @param holds told each hold of a bucket */
    public KeyFold(Incarnation mover, Side side, Consumer<KeyHold> holds) {
        this.mover = mover;
        this.side = side;
        this.holds = holds;
    }

    /** May be done again: keys without a row, or whose bucket is not owned here, are left alone. */
    public void run(Collection<Scope> keys) throws MoverFault {
        SortedMap<Scope, FenceRow> rows = side.read("read the fence", connection -> FenceRows.read(connection, keys));
        rows.values().removeIf(row -> row.state() != FenceState.OWNED);
        Map<FenceRow, SortedSet<Scope>> foldable =
                side.read("read the fence", connection -> KeysOfBuckets.owned(connection, rows.keySet()));
        for (Map.Entry<FenceRow, SortedSet<Scope>> bucket : foldable.entrySet()) {
            List<FenceRow> mine = bucket.getValue().stream().map(rows::get).toList();
            mover.step(MoverStep.FOLD_KEYS, () -> fold(bucket.getKey(), mine));
        }
    }

    private Void fold(FenceRow bucket, List<FenceRow> keys) throws MoverFault {
        SortedSet<Scope> folded = keys.stream().map(FenceRow::scope).collect(Collectors.toCollection(TreeSet::new));
        SortedSet<Scope> held = new TreeSet<>(folded);
        held.add(bucket.scope());
        double milliseconds = new ShortHold(mover, side, held).run("fold keys back", connection -> {
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
        holds.accept(new KeyHold(KeyHold.Cause.FOLD, milliseconds));
        return null;
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
