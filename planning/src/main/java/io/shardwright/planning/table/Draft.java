package io.shardwright.planning.table;

import io.shardwright.routing.Handover;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** A table being edited; gives back the table it began with when nothing was changed. */
final class Draft {
    private final RoutingTable table;
    private final List<String> owners;
    private final List<Long> epochs;
    private final SortedMap<String, String> pins;
    private List<Handover> handovers;
    private SortedMap<String, ShardEntry> shards;
    private boolean changed;

    Draft(RoutingTable table) {
        this.table = table;
        this.owners = new ArrayList<>(table.bucketMap().values());
        this.epochs = new ArrayList<>(table.epochs().values());
        this.pins = new TreeMap<>(table.pins());
        this.handovers = table.handovers();
        this.shards = table.shards();
    }

    Draft own(Scope scope, String shard, long epoch) {
        return scope.key()
                .map(key -> pin(key, scope.bucket(), shard))
                .orElseGet(() -> own(scope.bucket(), shard, epoch));
    }

    /** On the shard that owns its bucket a key is found without a pin. */
    private Draft pin(String key, int bucket, String shard) {
        String before = owners.get(bucket).equals(shard) ? pins.remove(key) : pins.put(key, shard);
        changed |= !shard.equals(before == null ? owners.get(bucket) : before);
        return this;
    }

    /** A fence epoch only grows, so a lower one is old news. */
    private Draft own(int bucket, String shard, long epoch) {
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
                pins,
                handovers,
                shards);
    }
}
