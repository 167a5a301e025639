package io.shardwright.routing;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
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

    /**
     * Where a router of this role sends work for the key: a handover of the key that is visible to the role, else its pin, else
     * such a handover of its bucket, else the bucket map. A bucket never takes a pinned key along.
     */
    public Route route(ShardKey key, Role role) {
        int bucket = bucketing.bucketOf(key);
        Optional<Route> handedOver =
                handovers.isEmpty() ? Optional.empty() : handover(Scope.key(key.text(), bucket), role);
        if (handedOver.isPresent()) {
            return handedOver.get();
        }
        String pinned = pins.get(key.text());
        if (pinned != null) {
            return new Route(pinned, bucket, 0, Route.Rule.PIN);
        }
        Optional<Route> withBucket = handovers.isEmpty() ? Optional.empty() : handover(Scope.bucket(bucket), role);
        return withBucket.orElseGet(
                () -> new Route(bucketMap.get(bucket), bucket, epochs.get(bucket), Route.Rule.BUCKET));
    }

    private Optional<Route> handover(Scope scope, Role role) {
        return handovers.stream()
                .filter(handover -> handover.scopes().containsKey(scope)
                        && handover.visibleTo().contains(role))
                .findFirst()
                .map(handover -> new Route(
                        handover.to(), scope.bucket(), handover.scopes().get(scope), Route.Rule.HANDOVER));
    }

    /** The shard that map and pins name, whatever is being handed over: of a key its pin, else the owner of its bucket. */
    public String owner(Scope scope) {
        return scope.key().map(pins::get).orElseGet(() -> bucketMap.get(scope.bucket()));
    }

    /** The pinned keys with their shards. */
    public SortedMap<Scope, String> pinned() {
        SortedMap<Scope, String> pinned = new TreeMap<>();
        pins.forEach((key, shard) -> pinned.put(Scope.of(new ShardKey(keyType, key), bucketing), shard));
        return pinned;
    }

    public RoutingTable withOrder(TableOrder next) {
        return new RoutingTable(
                next, writerEpoch, cluster, engine, keyType, bucketing, bucketMap, epochs, pins, handovers, shards);
    }
}
