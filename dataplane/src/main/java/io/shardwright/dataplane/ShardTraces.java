package io.shardwright.dataplane;

import io.shardwright.routing.FenceRow;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What moves have left on one shard, or are at work with, in one snapshot.
 *
 * @param fence rows by bucket
 * @param moves one for each move of which anything is written down here
 * @param strangers slots of this database with our prefix that no record names
 */
public record ShardTraces(Map<Integer, FenceRow> fence, List<MoveTrace> moves, SortedSet<String> strangers) {
    public ShardTraces {
        fence = Map.copyOf(fence);
        moves = List.copyOf(moves);
        strangers = Collections.unmodifiableSortedSet(new TreeSet<>(strangers));
    }
}
