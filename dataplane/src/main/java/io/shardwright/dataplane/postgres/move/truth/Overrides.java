package io.shardwright.dataplane.postgres.move.truth;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Keys of the buckets that move which have a fence row of their own, and do not move with them: their rows are neither copied nor
 * streamed, compared or deleted. Read when the move has entered both shards ({@link Exclusion}); they stay the same from then on.
 *
 * @param source fence rows of such keys on the source
 * @param target the same on the target, without what is outdated there
 */
public record Overrides(SortedMap<Scope, FenceRow> source, SortedMap<Scope, FenceRow> target) {
    public static final Overrides NONE = new Overrides(Collections.emptySortedMap(), Collections.emptySortedMap());

    public static Overrides read(Incarnation mover) throws MoverFault {
        MoveTask task = mover.task();
        if (task.ofKeys()) {
            return NONE;
        }
        SortedSet<Integer> buckets = Scope.bucketsOf(task.scopes());
        SortedMap<Scope, FenceRow> source =
                mover.source().read("read rows of keys", connection -> KeyRows.ofBuckets(connection, buckets));
        SortedMap<Scope, FenceRow> target =
                mover.target().read("read rows of keys", connection -> KeyRows.ofBuckets(connection, buckets));
        target.values().removeIf(row -> row.state() != FenceState.OWNED && !source.containsKey(row.scope()));
        return new Overrides(source, target);
    }

    /**
     * A row of a key on the target of its bucket says nothing: the key has come back to the bucket since, or its owner's row is newer.
     * Of two rows of one key the one with the higher epoch is.
     */
    public boolean outdates(FenceRow onTarget) {
        FenceRow onSource = source.get(onTarget.scope());
        return onTarget.state() != FenceState.OWNED && (onSource == null || onSource.epoch() >= onTarget.epoch());
    }

    /** Texts of the keys. */
    public SortedSet<String> keys() {
        SortedSet<String> keys = new TreeSet<>();
        source.keySet().forEach(scope -> keys.add(scope.key().orElseThrow()));
        target.keySet().forEach(scope -> keys.add(scope.key().orElseThrow()));
        return keys;
    }

    /**
     * What the new owner of the buckets has to know: it would take writes of these keys otherwise, as those of any other.
     *
     * @param from the shard that the buckets leave
     */
    public List<FenceRow> tombstones(String from) {
        List<FenceRow> tombstones = new ArrayList<>();
        new TreeMap<>(source)
                .forEach((scope, row) -> tombstones.add(new FenceRow(
                        scope,
                        FenceState.MOVED,
                        row.epoch(),
                        row.state() == FenceState.OWNED ? from : row.owner(),
                        row.moveId())));
        return tombstones;
    }
}
