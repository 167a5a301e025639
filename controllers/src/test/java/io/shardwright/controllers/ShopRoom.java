package io.shardwright.controllers;

import io.shardwright.controllers.world.FakeMovers;
import io.shardwright.controllers.world.FakeRouters;
import io.shardwright.controllers.world.FenceWorld;
import io.shardwright.controllers.world.Shop;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.PlannedMove;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;

/** A room of its own for each test, with the words that tests use of it. */
abstract class ShopRoom {
    /** Of the policies that the room makes. */
    static final String POLICY = "tolerance";

    static final Duration LIMIT = RunningRoom.LIMIT;

    RunningRoom room;
    Shop shop;
    FenceWorld world;
    FakeMovers movers;
    FakeRouters routers;

    @BeforeEach
    void aShop(TestInfo test) {
        room = new RunningRoom(test.getDisplayName());
        shop = room.shop();
        world = room.world();
        movers = room.movers();
        routers = room.routers();
    }

    @AfterEach
    void stop() {
        room.close();
    }

    void eventually(String what, BooleanSupplier condition) {
        room.eventually(what, condition);
    }

    void inAMinute(String what, BooleanSupplier condition) {
        room.inAMinute(what, condition);
    }

    boolean touching(BooleanSupplier condition) {
        return room.touching(condition);
    }

    boolean clusterIs(ConditionType type, String reason) {
        return room.clusterIs(type, reason);
    }

    void readyWithFour() {
        room.readyWithFour();
    }

    void restart(Runnable meanwhile) {
        room.restart(meanwhile);
        routers = room.routers();
    }

    int bucketOf(String shard) {
        return room.bucketOf(shard);
    }

    /** @return the shard that owns the bucket of the key */
    String withADedicatedShard(String hotKeys) {
        readyWithFour();
        shop.cluster(4, 1, 8);
        shop.policy(POLICY, "Propose", "", hotKeys);
        eventually(
                "the fifth shard to be fenced",
                () -> shop.cluster().getStatus().shards().containsKey("ds-4")
                        && shop.cluster()
                                .getStatus()
                                .shards()
                                .get("ds-4")
                                .state()
                                .equals("Ready"));
        return shop.table().orElseThrow().getSpec().bucketMap().split("\\*")[0];
    }

    /** Waits for this plan, approves it, and returns its hash. */
    String approved(String hotKeys, PlannedMove move) {
        eventually(
                "the plan",
                () -> shop.policyCondition(POLICY, ConditionType.PLAN_APPROVED)
                                .filter(condition -> condition.reason().equals("AwaitingApproval"))
                                .isPresent()
                        && shop.policy(POLICY).getStatus().plan() != null
                        && shop.policy(POLICY).getStatus().plan().moves().equals(List.of(move)));
        String hash = shop.policy(POLICY).getStatus().plan().hash();
        shop.policy(POLICY, "Propose", hash, hotKeys);
        return hash;
    }

    boolean hasEnded(String plan) {
        return shop.moves().stream()
                .anyMatch(move -> isOf(move, plan)
                        && move.getStatus() != null
                        && "Succeeded".equals(move.getStatus().phase()));
    }

    static boolean isOf(BucketMove move, String plan) {
        return plan.startsWith(move.getMetadata().getLabels().get("shardwright.io/plan"));
    }
}
