package io.shardwright.controllers.shardcluster;

import io.shardwright.controllers.report.StatusText;
import io.shardwright.crds.shardcluster.Shard;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.crds.shardcluster.ShardClusterStatus.ShardFinding;
import io.shardwright.crds.shardcluster.ShardState;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.routing.FenceState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What status says of each shard. What cannot be read now keeps what was read last, and what another database says is not
 * noted: the number of buckets guards a shard from leaving the list, and the identity, kept from the installation of the fence
 * on until a person accepts another one, guards its name.
 */
final class ShardFindings {
    private final ClusterObservation seen;
    private final ShardIdentities identities;

    private ShardFindings(ClusterObservation seen) {
        this.seen = seen;
        this.identities = new ShardIdentities(seen);
    }

    static Map<String, ShardFinding> of(ClusterObservation seen, ShardClusterStatus stored) {
        ShardFindings findings = new ShardFindings(seen);
        Map<String, ShardFinding> all = new TreeMap<>();
        for (Shard shard : seen.cluster().getSpec().shards()) {
            all.put(shard.name(), findings.finding(shard, stored.shards().get(shard.name())));
        }
        return all;
    }

    /** Moves that need this shard until they end: it may not leave the list before. */
    static List<ClusterObservation.ActiveMove> keeping(ClusterObservation seen, String shard) {
        return seen.begun().stream()
                .filter(move -> move.from().equals(shard) || move.to().equals(shard))
                .toList();
    }

    private ShardFinding finding(Shard shard, ShardFinding before) {
        Optional<ShardSight> sight = seen.sight().map(all -> all.shards().get(shard.name()));
        Optional<ShardSight> read = sight.filter(identities::confirms);
        List<ClusterObservation.ActiveMove> keeping = keeping(seen, shard.name());
        int owned = read.filter(ClusterChecks::isRead)
                .map(ShardFindings::owned)
                .orElse(before == null || before.buckets() == null ? 0 : before.buckets());
        int buckets = owned > 0 ? owned : held(keeping, false);
        int served = read.filter(ClusterChecks::isRead)
                .map(ShardFindings::served)
                .orElse(before == null || before.pins() == null ? 0 : before.pins());
        int pins = served > 0 || owned > 0 ? served : held(keeping, true);
        String identity = read.filter(one -> one.fenceVersion() > 0)
                .map(ShardSight::systemIdentifier)
                .orElse(before == null ? null : before.systemIdentifier());
        return new ShardFinding(
                state(shard, sight, buckets + pins).wire(),
                read.flatMap(ShardSight::primary)
                        .map(ShardAccess.Endpoint::name)
                        .orElse(null),
                buckets,
                pins == 0 ? null : pins,
                identity,
                read.map(ShardSight::serverVersion).orElse(before == null ? null : before.serverVersion()),
                sight.flatMap(this::problem)
                        .or(() -> owned == 0 && served == 0 && !keeping.isEmpty()
                                ? Optional.of(stays(keeping))
                                : Optional.empty())
                        .or(() -> sight.filter(one -> one.fenceVersion() == 0).map(one -> "no fence is installed yet"))
                        .map(StatusText::cut)
                        .orElse(null));
    }

    private static int owned(ShardSight sight) {
        return (int) sight.fence().values().stream()
                .filter(row -> row.state() == FenceState.OWNED)
                .count();
    }

    /** Keys that the shard owns by rows of their own, not with their bucket. */
    private static int served(ShardSight sight) {
        return (int) sight.keys().values().stream()
                .filter(row -> row.state() == FenceState.OWNED)
                .filter(row -> Optional.ofNullable(sight.fence().get(row.bucket()))
                        .filter(bucket -> bucket.state() == FenceState.OWNED)
                        .isEmpty())
                .count();
    }

    /** A shard that owns nothing counts what moves still hold of it, or it could leave the list under them. */
    private static int held(List<ClusterObservation.ActiveMove> keeping, boolean keys) {
        return (int) keeping.stream()
                .flatMap(move -> move.scopes().stream())
                .filter(scope -> scope.isKey() == keys)
                .count();
    }

    private static String stays(List<ClusterObservation.ActiveMove> keeping) {
        return "owns no bucket and no key; the count is that of moves that must end before it may leave the list: "
                + ClusterWords.names(keeping);
    }

    private Optional<String> problem(ShardSight sight) {
        return identities
                .fault(sight)
                .map(ClusterPlan.Refuse.class::cast)
                .map(ClusterPlan.Refuse::message)
                .or(() -> sight.problems().stream().findFirst().map(ShardSight.Problem::message));
    }

    private ShardState state(Shard shard, Optional<ShardSight> sight, int owned) {
        if (sight.isEmpty()) {
            return ShardState.UNKNOWN;
        }
        if (!sight.get().usable()) {
            return switch (sight.get().problems().get(0).kind()) {
                case UNREACHABLE, NO_PRIMARY -> ShardState.UNREACHABLE;
                default -> ShardState.REFUSED;
            };
        }
        if (identities.fault(sight.get()).isPresent()) {
            return ShardState.REFUSED;
        }
        if (sight.get().fenceVersion() == 0) {
            return ShardState.UNKNOWN;
        }
        if (shard.weight() > 0) {
            return ShardState.READY;
        }
        return owned > 0 ? ShardState.DRAINING : ShardState.DRAINED;
    }
}
