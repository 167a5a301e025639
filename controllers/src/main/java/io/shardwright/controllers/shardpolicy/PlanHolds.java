package io.shardwright.controllers.shardpolicy;

import io.shardwright.controllers.MovePhases;
import io.shardwright.controllers.resources.MoveResources;
import io.shardwright.controllers.shardcluster.ClusterHolds;
import io.shardwright.controllers.shardcluster.ClusterHolds.Hold;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardcluster.ShardClusterSpec;
import io.shardwright.crds.shardcluster.ShardClusterStatus.ShardFinding;
import io.shardwright.crds.shardcluster.ShardState;
import io.shardwright.meaning.Moves;
import io.shardwright.planning.arbiter.Overlap;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.placement.Batch;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.planning.placement.RebalancePlan;
import io.shardwright.routing.Scope;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
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
                .or(() -> others(seen, wanted));
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
     * back; so only the plan that moves a bucket or a key
     * of it onward waits, or a key of its buckets, or the bucket of its keys.
     */
    private static Optional<Hold> others(PolicyObservation seen, RebalancePlan wanted) {
        return seen.moves().stream()
                .filter(move -> !MovePhases.hasEnded(move))
                .filter(move -> !MoveResources.isOfPlan(move, MoveResources.planLabel(wanted.hash())))
                .filter(move ->
                        !MovePhases.soaks(move) || wanted.moves().stream().anyMatch(batch -> meets(seen, batch, move)))
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
                .filter(move -> wanted.moves().stream().anyMatch(batch -> repeats(seen, batch, move)))
                .sorted(Comparator.comparing(move -> move.getMetadata().getName()))
                .toList();
    }

    private static boolean repeats(PolicyObservation seen, Batch batch, BucketMove reversed) {
        return batch.from().equals(reversed.getSpec().from())
                && scopes(seen, reversed).stream().anyMatch(batch.scopes()::contains);
    }

    private static boolean meets(PolicyObservation seen, Batch batch, BucketMove move) {
        return Overlap.between(batch.scopes(), scopes(seen, move));
    }

    private static SortedSet<Scope> scopes(PolicyObservation seen, BucketMove move) {
        return Moves.scopes(move.getSpec(), seen.cluster().orElseThrow().getSpec());
    }

    /**
     * It has brought its keys, and all of them have left again: it stands in nobody's way. A pin that is set, taken away and set again is
     * the same plan each time.
     */
    static boolean isSpent(PolicyObservation seen, BucketMove move) {
        return seen.inputs()
                .filter(inputs -> isSpent(inputs, seen.cluster().orElseThrow().getSpec(), move))
                .isPresent();
    }

    static boolean isSpent(PlanInputs inputs, ShardClusterSpec cluster, BucketMove move) {
        return MovePhases.of(move) == MovePhase.SUCCEEDED
                && !move.getSpec().keys().isEmpty()
                && Moves.scopes(move.getSpec(), cluster).stream()
                        .noneMatch(scope -> inputs.owner(scope)
                                .filter(move.getSpec().to()::equals)
                                .isPresent());
    }

    /** The moves of a plan that were made, as the plan had them. */
    static List<Batch> batches(PolicyObservation seen, List<BucketMove> moves) {
        return moves.stream()
                .map(move -> new Batch(move.getSpec().from(), move.getSpec().to(), scopes(seen, move)))
                .toList();
    }
}
