package io.shardwright.controllers.resources;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.shardwright.crds.ClusterRef;
import io.shardwright.crds.Names;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.crds.shardpolicy.Rebalancing;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.PlannedMove;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The moves of a plan. Their names follow from the plan, so that making them twice makes them once; the label carries the
 * first digits of the hash, because a label takes 63 characters.
 */
public final class MoveResources {
    private static final int LABEL_DIGITS = 16;
    private static final int NAME_DIGITS = 8;

    private MoveResources() {}

    public static String planLabel(String hash) {
        return hash.substring(0, Math.min(LABEL_DIGITS, hash.length()));
    }

    /**
     * In the order of the plan.
     *
     * @param promises whose soak and hold each of them gets: what is promised when they are made is not taken back by a policy
     *     that is changed or deleted
     */
    public static List<BucketMove> moves(String namespace, String cluster, Plan plan, Rebalancing promises) {
        List<BucketMove> moves = new ArrayList<>();
        for (PlannedMove planned : plan.moves()) {
            String pair = planned.from() + "-" + planned.to();
            long before = moves.stream()
                    .filter(move -> move.getSpec().from().equals(planned.from())
                            && move.getSpec().to().equals(planned.to()))
                    .count();
            String name = before == 0 ? pair : pair + "-" + (before + 1);
            moves.add(move(namespace, cluster, plan.hash(), name, planned, promises));
        }
        return moves;
    }

    private static BucketMove move(
            String namespace, String cluster, String hash, String pair, PlannedMove planned, Rebalancing promises) {
        BucketMove move = new BucketMove();
        move.setMetadata(new ObjectMetaBuilder()
                .withNamespace(namespace)
                .withName(cluster + "-" + hash.substring(0, Math.min(NAME_DIGITS, hash.length())) + "-" + pair)
                .withLabels(Map.of(Names.CLUSTER_LABEL, cluster, Names.PLAN_LABEL, planLabel(hash)))
                .build());
        move.setSpec(new BucketMoveSpec(
                new ClusterRef(cluster),
                planned.from(),
                planned.to(),
                planned.buckets(),
                planned.keys(),
                promises.writeHoldBudget(),
                promises.soak(),
                BucketMoveSpec.Intent.RUN));
        return move;
    }

    /** Both are the same move of the same plan, whatever has been added to the object meanwhile. */
    public static boolean isSame(BucketMove wanted, BucketMove found) {
        return wanted.getSpec().clusterRef().equals(found.getSpec().clusterRef())
                && wanted.getSpec().from().equals(found.getSpec().from())
                && wanted.getSpec().to().equals(found.getSpec().to())
                && wanted.getSpec().buckets().equals(found.getSpec().buckets())
                && wanted.getSpec().keys().equals(found.getSpec().keys())
                && isOfPlan(found, wanted.getMetadata().getLabels().get(Names.PLAN_LABEL));
    }

    /** Made by a plan, not by hand. */
    public static boolean isPlanned(BucketMove move) {
        return move.getMetadata().getLabels() != null
                && move.getMetadata().getLabels().containsKey(Names.PLAN_LABEL);
    }

    /** @param label see {@link #planLabel} */
    public static boolean isOfPlan(BucketMove move, String label) {
        return move.getMetadata().getLabels() != null
                && label.equals(move.getMetadata().getLabels().get(Names.PLAN_LABEL));
    }
}
