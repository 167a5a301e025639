package io.shardwright.controllers;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Which updates of an object matter to those who look at it from outside. Figures of a move that copies, and counts of
 * acknowledgements, change every second; without these filters each would wake everybody.
 */
public final class Updates {
    private Updates() {}

    /** Spec, labels or annotations; also that it is being deleted. */
    public static boolean changesSpec(HasMetadata now, HasMetadata before) {
        return !Objects.equals(
                        now.getMetadata().getGeneration(), before.getMetadata().getGeneration())
                || !Objects.equals(
                        now.getMetadata().getAnnotations(), before.getMetadata().getAnnotations())
                || !Objects.equals(
                        now.getMetadata().getLabels(), before.getMetadata().getLabels())
                || now.isMarkedForDeletion() != before.isMarkedForDeletion();
    }

    public static boolean changesPhase(BucketMove now, BucketMove before) {
        return MovePhases.of(now) != MovePhases.of(before) || changesSpec(now, before);
    }

    /** What a plan waits for: that a move has ended, or done what was asked. */
    public static boolean endsMove(BucketMove now, BucketMove before) {
        return MovePhases.hasEnded(now) != MovePhases.hasEnded(before)
                || MovePhases.soaks(now) != MovePhases.soaks(before)
                || changesSpec(now, before);
    }

    /** What a policy and a move judge a cluster by. */
    public static boolean mattersToOthers(ShardCluster now, ShardCluster before) {
        return changesSpec(now, before)
                || !Objects.equals(observed(now), observed(before))
                || Stream.of(ConditionType.ACCEPTED, ConditionType.REACHABLE, ConditionType.FENCE_INSTALLED)
                        .anyMatch(type -> !said(now, type).equals(said(before, type)));
    }

    private static Long observed(ShardCluster cluster) {
        return cluster.getStatus() == null ? null : cluster.getStatus().observedGeneration();
    }

    private static List<String> said(ShardCluster cluster, ConditionType type) {
        List<Condition> conditions =
                cluster.getStatus() == null ? List.of() : cluster.getStatus().conditions();
        return Conditions.find(conditions, type)
                .map(one -> List.of(one.status(), one.message()))
                .orElse(List.of());
    }
}
