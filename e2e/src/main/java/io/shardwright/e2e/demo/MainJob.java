package io.shardwright.e2e.demo;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.e2e.load.LiveLoad;
import io.shardwright.stage.Stage;
import io.shardwright.stage.shop.ShopTopology;
import io.shardwright.stage.truth.OwnerWatch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The main job of the product, on a stage: four live shards become five while the application writes. The same job is the
 * demo and the first story of the tests, so the demo cannot drift from what is proven.
 */
public final class MainJob {
    private static final Duration READY_LIMIT = Duration.ofSeconds(60);
    private static final Duration MOVE_LIMIT = Duration.ofMinutes(8);
    private static final int OPERATIONS_PER_SECOND = 190;

    private final Stage stage;
    private final Narrator narrator;
    private final PlanDesk desk;

    public MainJob(Stage stage, Narrator narrator) {
        this.stage = stage;
        this.narrator = narrator;
        this.desk = new PlanDesk(stage);
    }

    /**
     * From an installed operator to the audited end.
     *
     * @param meanwhile what happens while the application still writes, and the sources of the moves wait for their minute
     *     before they delete rows
     */
    public MainJobResult run(Consumer<LiveLoad> meanwhile) {
        install("0s");
        ShardPolicyStatus.Plan plan;
        List<BucketMove> moves;
        Map<String, Long> movedFrom;
        LiveLoad load;
        OwnerWatch owners;
        try (OwnerWatch watch = stage.watchOwners()) {
            load = startLoad();
            addShard();
            plan = proposedPlan();
            load.aimAt(plan.moves().stream()
                    .flatMap(move -> move.buckets().stream())
                    .toList());
            narrator.say("from now on half of the writes go to these buckets");
            approve(plan);
            narrator.step("follow the moves; the application goes on writing");
            try (var follower = new MoveFollower(
                    stage, ShopTopology.NAMESPACE, narrator, plan.moves().size())) {
                follower.toTheSwitches(MOVE_LIMIT);
                movedFrom = stage.truth().movedFrom();
                meanwhile.accept(load);
                narrator.step("old rows are deleted when every router has known the new owners for a minute");
                moves = follower.toTheEnd(MOVE_LIMIT);
            }
            narrator.step("stop the application and count");
            load.stop();
            owners = watch;
        }
        return new MainJobResult(stage, moves, movedFrom, load, owners, narrator.elapsed());
    }

    /**
     * The operator, and the team's four shards as they are.
     *
     * @param soak of the policy: with 0s moves are cleaned up at once, for nobody waits for an hour here
     */
    public void install(String soak) {
        narrator.step("start the operator under its shipped ServiceAccount and roles");
        stage.startOperator();
        narrator.step(
                "kubectl apply: ShardCluster with four shards, ShardPolicy; nothing moves, the placement is adopted");
        stage.applyTopology(4).orThrow();
        desk.applyPolicy(soak);
        awaitReady();
        narrator.say(
                "%s",
                stage.people()
                        .engineer()
                        .run("get", "shardwright", "-n", ShopTopology.NAMESPACE)
                        .orThrow());
    }

    private void awaitReady() {
        stage.await("the ShardCluster to be Ready", READY_LIMIT, () -> {
            ShardCluster cluster = cluster();
            return cluster.getStatus() != null
                    && cluster.getStatus().conditions().stream()
                            .anyMatch(condition -> condition.type().equals("Ready")
                                    && condition.status().equals("True"));
        });
    }

    private ShardCluster cluster() {
        return stage.client()
                .resources(ShardCluster.class)
                .inNamespace(ShopTopology.NAMESPACE)
                .withName(ShopTopology.CLUSTER)
                .get();
    }

    private LiveLoad startLoad() {
        narrator.step("start two worker and two web processes; they write through the client library");
        LiveLoad load = LiveLoad.start(stage, new LiveLoad.Shape(2, 2, OPERATIONS_PER_SECOND));
        narrator.say(
                "%d operations/s, in autocommit and in transactions that read before they write",
                OPERATIONS_PER_SECOND);
        return load;
    }

    private void addShard() {
        narrator.step("kubectl apply: the same ShardCluster with a fifth shard");
        narrator.say("%s", stage.applyTopology(5).orThrow().strip());
    }

    private ShardPolicyStatus.Plan proposedPlan() {
        narrator.step("the plan that the operator proposes");
        ShardPolicyStatus.Plan plan = desk.proposed();
        plan.moves().forEach(move -> narrator.say("%s -> %s: buckets %s", move.from(), move.to(), move.buckets()));
        narrator.say(
                "moves %s of all buckets, at least %s have to; imbalance %s -> %s",
                plan.movedShare(), plan.lowerBound(), plan.imbalanceBefore(), plan.imbalanceAfter());
        return plan;
    }

    private void approve(ShardPolicyStatus.Plan plan) {
        narrator.step("approve it by its hash, as somebody with the role shardwright-approver");
        narrator.say("kubectl patch shardpolicy orders --type=merge -p '%s'", PlanDesk.approval(plan));
        desk.approve(plan);
    }
}
