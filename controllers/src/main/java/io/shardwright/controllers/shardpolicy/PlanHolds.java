package io.shardwright.controllers.shardpolicy;

import io.shardwright.controllers.MovePhases;
import io.shardwright.controllers.resources.MoveResources;
import io.shardwright.controllers.shardcluster.ClusterHolds;
import io.shardwright.controllers.shardcluster.ClusterHolds.Hold;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardcluster.ShardClusterStatus.ShardFinding;
import io.shardwright.crds.shardcluster.ShardState;
import io.shardwright.planning.placement.BucketBatch;
import io.shardwright.planning.placement.RebalancePlan;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Why the moves of an approved plan are not made yet. */
final class PlanHolds {
    private PlanHolds() {}

    /** The first reason; empty when they are to be made. */
    static Optional<Hold> of(PolicyObservation seen, RebalancePlan wanted) {
        ShardCluster cluster = seen.cluster().orElseThrow();
        return ClusterHolds.of(cluster)
                .or(() -> closed(seen))
                .or(() -> unfitShard(cluster, wanted))
                .or(() -> others(seen.moves(), wanted));
    }

    /** An approval is compared with the inputs once more when it is obeyed, and these may change until the window opens. */
    static Optional<Hold> closed(PolicyObservation seen) {
        return seen.hours()
                .closed()
                .map(closure ->
                        new Hold(Closures.reason(closure), "its moves wait: " + closure.reason(), closure.advice()));
    }

    /** Moves that wait for a shard would keep others from their turn. */
    private static Optional<Hold> unfitShard(ShardCluster cluster, RebalancePlan wanted) {
        return wanted.moves().stream()
                .flatMap(batch -> Stream.of(batch.from(), batch.to()))
                .distinct()
                .filter(shard -> isUnfit(cluster.getStatus().shards().get(shard)))
                .findFirst()
                .map(shard -> new Hold(
                        Reason.BLOCKED,
                        "its moves are made when shard " + shard + " can be used: "
                                + cluster.getStatus().shards().get(shard).message(),
                        "see kubectl describe shardcluster "
                                + cluster.getMetadata().getName() + " -n "
                                + cluster.getMetadata().getNamespace()));
    }

    private static boolean isUnfit(ShardFinding finding) {
        return finding != null
                && Stream.of(ShardState.UNREACHABLE, ShardState.REFUSED)
                        .anyMatch(state -> state.wire().equals(finding.state()));
    }

    /**
     * Somebody else's moves are waited for, because they change the inputs. One that soaks does not, unless somebody takes it
     * back; so only the plan that moves a bucket of it onward waits.
     */
    private static Optional<Hold> others(List<BucketMove> moves, RebalancePlan wanted) {
        return moves.stream()
                .filter(move -> !MovePhases.hasEnded(move))
                .filter(move -> !MoveResources.isOfPlan(move, MoveResources.planLabel(wanted.hash())))
                .filter(move ->
                        !MovePhases.soaks(move) || wanted.moves().stream().anyMatch(batch -> shares(batch, move)))
                .findFirst()
                .map(move -> new Hold(
                        Reason.MOVING,
                        "its moves are made when BucketMove "
                                + move.getMetadata().getName() + " has ended",
                        null));
    }

    /** Moves that people took back and that the plan would make again, by name. */
    static List<BucketMove> reversed(PolicyObservation seen, RebalancePlan wanted) {
        return seen.moves().stream()
                .filter(MovePhases::isReversed)
                .filter(move -> wanted.moves().stream().anyMatch(batch -> repeats(batch, move)))
                .sorted(Comparator.comparing(move -> move.getMetadata().getName()))
                .toList();
    }

    private static boolean repeats(BucketBatch batch, BucketMove reversed) {
        return batch.from().equals(reversed.getSpec().from()) && shares(batch, reversed);
    }

    private static boolean shares(BucketBatch batch, BucketMove move) {
        return move.getSpec().buckets().stream().anyMatch(batch.buckets()::contains);
    }
}
