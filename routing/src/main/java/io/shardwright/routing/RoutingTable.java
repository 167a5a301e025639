package io.shardwright.routing;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What routers read: the owner of each bucket and of each pinned key. Immutable; one table stands behind one volatile
 * reference of a router.
 *
 * @param order incarnation, revision (+1 on every change the operator writes) and generation of the object
 * @param writerEpoch term of the leader that wrote it; a smaller one is refused
 * @param cluster name of the ShardCluster
 * @param engine PostgreSQL, MariaDB, MySQL or MongoDB
 * @param bucketMap owner of each bucket
 * @param epochs fence epoch of each bucket: a fence row or an error with a higher epoch wins over this table
 * @param pins canonical key text to Dedicated shard; looked up before the hash, always
 * @param shards every shard named by map, pins and handovers
 */
public record RoutingTable(
        TableOrder order,
        long writerEpoch,
        String cluster,
        String engine,
        KeyType keyType,
        Bucketing bucketing,
        RunLengthMap<String> bucketMap,
        RunLengthMap<Long> epochs,
        SortedMap<String, String> pins,
        List<Handover> handovers,
        SortedMap<String, ShardEntry> shards) {
    public RoutingTable {
        pins = Collections.unmodifiableSortedMap(new TreeMap<>(pins));
        handovers = List.copyOf(handovers);
        shards = Collections.unmodifiableSortedMap(new TreeMap<>(shards));
    }

    /** Where a router of this role sends work for the key: pin, else handover visible to the role, else bucket map. */
    public Route route(ShardKey key, Role role) {
        int bucket = bucketing.bucketOf(key);
        String pinned = pins.get(key.text());
        if (pinned != null) {
            return new Route(pinned, bucket, 0, Route.Rule.PIN);
        }
        for (Handover handover : handovers) {
            Long epoch = handover.buckets().get(bucket);
            if (epoch != null && handover.visibleTo().contains(role)) {
                return new Route(handover.to(), bucket, epoch, Route.Rule.HANDOVER);
            }
        }
        return new Route(bucketMap.get(bucket), bucket, epochs.get(bucket), Route.Rule.BUCKET);
    }

    public RoutingTable withOrder(TableOrder next) {
        return new RoutingTable(
                next, writerEpoch, cluster, engine, keyType, bucketing, bucketMap, epochs, pins, handovers, shards);
    }
}
