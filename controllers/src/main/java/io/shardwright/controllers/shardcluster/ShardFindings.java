package io.shardwright.controllers.shardcluster;

import io.shardwright.crds.shardcluster.Shard;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.crds.shardcluster.ShardClusterStatus.ShardFinding;
import io.shardwright.crds.shardcluster.ShardState;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.routing.FenceState;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What status says of each shard. What cannot be read now keeps what was read last: the number of buckets guards a shard
 * from leaving the list, and the identity, kept from the installation of the fence on, guards its name.
 */
final class ShardFindings {
    private ShardFindings() {}

    static Map<String, ShardFinding> of(ClusterObservation seen, ShardClusterStatus stored) {
        Map<String, ShardFinding> findings = new TreeMap<>();
        for (Shard shard : seen.cluster().getSpec().shards()) {
            Optional<ShardSight> sight = seen.sight().map(all -> all.shards().get(shard.name()));
            findings.put(shard.name(), finding(shard, sight, stored.shards().get(shard.name())));
        }
        return findings;
    }

    private static ShardFinding finding(Shard shard, Optional<ShardSight> sight, ShardFinding before) {
        Optional<ShardSight> read = sight.filter(one -> one.primary().isPresent());
        int buckets = read.map(ShardFindings::owned)
                .orElse(before == null || before.buckets() == null ? 0 : before.buckets());
        String identity = before != null && before.systemIdentifier() != null
                ? before.systemIdentifier()
                : read.filter(one -> one.fenceVersion() > 0)
                        .map(ShardSight::systemIdentifier)
                        .orElse(null);
        return new ShardFinding(
                state(shard, sight, buckets).wire(),
                read.flatMap(ShardSight::primary)
                        .map(ShardAccess.Endpoint::name)
                        .orElse(null),
                buckets,
                identity,
                read.map(ShardSight::serverVersion).orElse(before == null ? null : before.serverVersion()),
                sight.flatMap(ShardFindings::message).orElse(null));
    }

    private static int owned(ShardSight sight) {
        return (int) sight.fence().values().stream()
                .filter(row -> row.state() == FenceState.OWNED)
                .count();
    }

    private static Optional<String> message(ShardSight sight) {
        if (sight.problems().isEmpty()) {
            return sight.fenceVersion() == 0 ? Optional.of("no fence is installed yet") : Optional.empty();
        }
        String message = sight.problems().get(0).message();
        return Optional.of(message.length() <= 1024 ? message : message.substring(0, 1021) + "...");
    }

    private static ShardState state(Shard shard, Optional<ShardSight> sight, int buckets) {
        if (sight.isEmpty()) {
            return ShardState.UNKNOWN;
        }
        if (!sight.get().usable()) {
            return switch (sight.get().problems().get(0).kind()) {
                case UNREACHABLE, NO_PRIMARY -> ShardState.UNREACHABLE;
                default -> ShardState.REFUSED;
            };
        }
        if (sight.get().fenceVersion() == 0) {
            return ShardState.UNKNOWN;
        }
        if (shard.weight() > 0) {
            return ShardState.READY;
        }
        return buckets > 0 ? ShardState.DRAINING : ShardState.DRAINED;
    }
}
