package io.shardwright.planning.table;

import io.shardwright.routing.Handover;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.ShardEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/** A table being edited; gives back the table it began with when nothing was changed. */
final class Draft {
    private final RoutingTable table;
    private final List<String> owners;
    private final List<Long> epochs;
    private List<Handover> handovers;
    private SortedMap<String, ShardEntry> shards;
    private boolean changed;

    Draft(RoutingTable table) {
        this.table = table;
        this.owners = new ArrayList<>(table.bucketMap().values());
        this.epochs = new ArrayList<>(table.epochs().values());
        this.handovers = table.handovers();
        this.shards = table.shards();
    }

    /** A fence epoch only grows, so a lower one is old news. */
    Draft own(int bucket, String shard, long epoch) {
        boolean sameOwner = owners.get(bucket).equals(shard);
        if (epoch > epochs.get(bucket) || (epoch == epochs.get(bucket) && !sameOwner)) {
            owners.set(bucket, shard);
            epochs.set(bucket, epoch);
            changed = true;
        }
        return this;
    }

    Draft handovers(List<Handover> next) {
        handovers = next;
        changed = true;
        return this;
    }

    Draft shards(SortedMap<String, ShardEntry> next) {
        shards = next;
        changed = true;
        return this;
    }

    RoutingTable done() {
        if (!changed) {
            return table;
        }
        return new RoutingTable(
                table.order(),
                table.writerEpoch(),
                table.cluster(),
                table.engine(),
                table.keyType(),
                table.bucketing(),
                RunLengthMap.of(owners),
                RunLengthMap.of(epochs),
                table.pins(),
                handovers,
                shards);
    }
}
