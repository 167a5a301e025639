package io.shardwright.controllers.shardpolicy;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.shardwright.controllers.resources.MoveResources;
import io.shardwright.crds.Names;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the moves of an approved plan. Names follow from the plan, so a move that exists already (a lost answer, a process
 * that died half-way, another pass at the same time) is recognised by its content and left alone.
 */
final class PlanExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(PlanExecutor.class);

    private final KubernetesClient client;

    PlanExecutor(KubernetesClient client) {
        this.client = client;
    }

    /** @param spent names of moves that have brought what has left again since: the next run of the plan takes the next names */
    void create(ShardPolicy policy, Plan plan, Set<String> spent) {
        MoveResources.moves(
                        policy.getMetadata().getNamespace(),
                        policy.getSpec().clusterRef().name(),
                        plan,
                        policy.getSpec().rebalancing())
                .forEach(move -> create(named(move, spent)));
    }

    private static BucketMove named(BucketMove move, Set<String> spent) {
        String name = move.getMetadata().getName();
        String free = name;
        for (int run = 2; spent.contains(free); run++) {
            free = name + "-run" + run;
        }
        move.getMetadata().setName(free);
        return move;
    }

    /** The moves of a plan as the API server has them now: a cache may not show yet what was made a moment ago. */
    List<BucketMove> find(ShardPolicy policy, String hash) {
        return client
                .resources(BucketMove.class)
                .inNamespace(policy.getMetadata().getNamespace())
                .withLabel(Names.PLAN_LABEL, MoveResources.planLabel(hash))
                .list()
                .getItems()
                .stream()
                .filter(move ->
                        move.getSpec().clusterRef().equals(policy.getSpec().clusterRef()))
                .toList();
    }

    private void create(BucketMove move) {
        try {
            client.resource(move).create();
            LOG.info(
                    "move created: namespace={} name={}",
                    move.getMetadata().getNamespace(),
                    move.getMetadata().getName());
        } catch (KubernetesClientException e) {
            if (e.getCode() != 409) {
                throw e;
            }
            BucketMove found = client.resource(move).get();
            if (found == null || !MoveResources.isSame(move, found)) {
                throw new IllegalStateException(
                        "BucketMove " + move.getMetadata().getName()
                                + " exists with another content: delete or rename it",
                        e);
            }
        }
    }
}
