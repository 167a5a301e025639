package io.shardwright.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.controllers.world.ApiServer;
import io.shardwright.controllers.world.FakeMovers;
import io.shardwright.controllers.world.FakeRouters;
import io.shardwright.controllers.world.FenceWorld;
import io.shardwright.controllers.world.Quiet;
import io.shardwright.controllers.world.Shop;
import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionType;
import io.shardwright.dataplane.Mover;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.routing.Role;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** What the kinds do together, see {@link RunningRoom}. */
class ControllerRoomIT {
    private static final Duration LIMIT = RunningRoom.LIMIT;

    private RunningRoom room;
    private Shop shop;
    private FenceWorld world;
    private FakeMovers movers;
    private FakeRouters routers;

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

    private void eventually(String what, BooleanSupplier condition) {
        room.eventually(what, condition);
    }

    private void inAMinute(String what, BooleanSupplier condition) {
        room.inAMinute(what, condition);
    }

    private boolean touching(BooleanSupplier condition) {
        return room.touching(condition);
    }

    private boolean clusterIs(ConditionType type, String reason) {
        return room.clusterIs(type, reason);
    }

    private void readyWithFour() {
        room.readyWithFour();
    }

    private void restart(Runnable meanwhile) {
        room.restart(meanwhile);
        routers = room.routers();
    }

    private int bucketOf(String shard) {
        return room.bucketOf(shard);
    }

    @Test
    void adoptsWhatTheDatabasesHoldAndSpreadsEmptyBuckets() {
        world.withRows("ds-2", 0, 10).withRows("ds-2", 1, 5);

        readyWithFour();

        assertThat(world.fence("ds-2")).containsKeys(0, 1);
        assertThat(shop.table().orElseThrow().getSpec().bucketMap()).startsWith("ds-2*2,");
        assertThat(world.owned("ds-0")).isEqualTo(2);
        assertThat(shop.cluster().getStatus().shards().get("ds-2").buckets()).isEqualTo(2);
        eventually("one event that tells it", () -> shop.events("Installed").size() == 1);
    }

    @Test
    void movesToAFifthShardWhenItsPlanIsApproved() {
        readyWithFour();
        shop.policy("orders", "Propose", "");
        shop.cluster(5, 8);
        eventually(
                "a plan that waits for approval",
                () -> shop.policyCondition("orders", ConditionType.PLAN_APPROVED)
                        .filter(condition -> condition.reason().equals("AwaitingApproval"))
                        .isPresent());
        assertThat(world.effects()).contains("install ds-4").doesNotContain("adopt ds-4 1");
        assertThat(shop.moves()).isEmpty();
        String hash = shop.policy("orders").getStatus().plan().hash();

        shop.policy("orders", "Propose", hash);

        eventually("the switch", () -> world.owned("ds-4") == 1);
        inAMinute(
                "the move to end well",
                () -> shop.moves().stream()
                        .anyMatch(move -> move.getStatus() != null
                                && "Succeeded".equals(move.getStatus().phase())));
        eventually("five shards ready", () -> clusterIs(ConditionType.READY, "Settled"));
        assertThat(world.owned("ds-4")).isEqualTo(1);
        assertThat(shop.moves()).hasSize(1).allSatisfy(move -> {
            assertThat(move.getStatus().switches()).hasSize(1);
            assertThat(move.getStatus().pointOfNoReturn()).isTrue();
        });
        eventually("movers are closed", () -> movers.open() == 0);
    }

    @Test
    void touchesNothingWhileABucketLiesOnTwoShards() {
        world.withRows("ds-0", 3, 120)
                .withRows("ds-1", 3, 2)
                .withModuloRows("ds-0", 4, 120)
                .withModuloRows("ds-1", 5, 2);
        shop.cluster(4, 8);

        eventually("the misplaced keys to be named", () -> clusterIs(ConditionType.FENCE_INSTALLED, "MisplacedKeys"));

        Condition fence = shop.clusterCondition(ConditionType.FENCE_INSTALLED).orElseThrow();
        assertThat(fence.message())
                .contains("bucket 3", "ds-0 120 rows (keys key-3)", "ds-1 2 rows", "no row was touched");
        assertThat(shop.cluster().getStatus().nextAction()).contains("Modulo");
        assertThat(world.effects()).isEmpty();
        assertThat(shop.table()).isEmpty();

        world.withRows("ds-1", 3, 0);

        eventually("the fence after the correction", () -> clusterIs(ConditionType.FENCE_INSTALLED, "Installed"));
    }

    @Test
    void namesAShardThatCannotBeReachedAndInstallsNothing() {
        world.breakShard("ds-2", ShardSight.Problem.Kind.ACCESS_DENIED, "ds-2:5432 refuses shardwright_operator");
        shop.cluster(4, 8);

        eventually("the fault to be named", () -> clusterIs(ConditionType.REACHABLE, "AccessDenied"));

        assertThat(shop.clusterCondition(ConditionType.READY).orElseThrow().message())
                .contains("ds-2", "refuses");
        assertThat(shop.cluster().getStatus().shards().get("ds-2").state()).isEqualTo("Refused");
        assertThat(world.effects()).isEmpty();

        world.healShard("ds-2");

        eventually("the cluster after the cure", () -> clusterIs(ConditionType.READY, "Settled"));
    }

    @Test
    void refusesANameThatLeadsToAnotherDatabase() {
        readyWithFour();

        world.replaceDatabase("ds-1", "system-of-somebody-else");

        eventually("the changed identity", () -> clusterIs(ConditionType.REACHABLE, "IdentityChanged"));
        assertThat(shop.clusterCondition(ConditionType.REACHABLE).orElseThrow().message())
                .contains("system-ds-1", "system-of-somebody-else");
    }

    @Test
    void refusesASecondPolicyAndVoidsAnApprovalWhenTheInputsDrift() {
        readyWithFour();
        shop.policy("orders", "Propose", "");
        eventually("the first policy", () -> policyIs("orders", ConditionType.ACCEPTED, "Accepted"));

        shop.policy("second", "Automatic", "");
        eventually("the conflict", () -> policyIs("second", ConditionType.ACCEPTED, "PolicyConflict"));
        assertThat(shop.policyCondition("second", ConditionType.ACCEPTED)
                        .orElseThrow()
                        .message())
                .contains("orders is older");

        shop.cluster(5, 8);
        eventually("a plan", () -> policyIs("orders", ConditionType.PLAN_APPROVED, "AwaitingApproval"));
        String hash = shop.policy("orders").getStatus().plan().hash();
        shop.weight("ds-3", 50);
        eventually("the plan of the new weights", () -> !hash.equals(planHash()));
        shop.policy("orders", "Propose", hash);
        eventually("the void approval", () -> policyIs("orders", ConditionType.PLAN_APPROVED, "PlanVoid"));

        assertThat(shop.policyCondition("orders", ConditionType.PLAN_APPROVED)
                        .orElseThrow()
                        .message())
                .contains("ds-3", "weight 100", "weight 50", planHash());
        assertThat(shop.moves()).isEmpty();
    }

    @Test
    void tellsInTheStatusThatAMoveOfThePlanExistsWithAnotherContent() {
        readyWithFour();
        shop.policy("orders", "Propose", "");
        shop.cluster(5, 8);
        eventually("a plan", () -> policyIs("orders", ConditionType.PLAN_APPROVED, "AwaitingApproval"));
        var plan = shop.policy("orders").getStatus().plan();
        String name = "orders-" + plan.hash().substring(0, 8) + "-"
                + plan.moves().get(0).from() + "-ds-4";
        shop.move(name, "ds-4", "ds-0", 0);
        shop.abort(name);
        eventually("a move of that name that has ended", () -> shop.phase(name).equals("Aborted"));

        shop.policy("orders", "Propose", plan.hash());

        eventually("the fault", () -> policyIs("orders", ConditionType.PLAN_APPROVED, "OperatorFault"));
        assertThat(shop.policyCondition("orders", ConditionType.PLAN_APPROVED)
                        .orElseThrow()
                        .message())
                .contains(name + " exists with another content: delete or rename it");
        shop.delete(name);
        eventually("the plan to run", () -> policyIs("orders", ConditionType.PLAN_APPROVED, "Approved"));
    }

    private boolean policyIs(String name, ConditionType type, String reason) {
        return shop.policyCondition(name, type)
                .filter(condition -> condition.reason().equals(reason))
                .isPresent();
    }

    private String planHash() {
        return Optional.ofNullable(shop.policy("orders").getStatus().plan())
                .map(plan -> plan.hash())
                .orElse("");
    }

    @Test
    void takesAMoveBackBeforeItsObjectGoes() {
        readyWithFour();
        movers.copyForEver(true);
        shop.move("by-hand", "ds-0", "ds-1", bucketOf("ds-0"));
        eventually("the copy", () -> shop.phase("by-hand").equals("Copying"));
        movers.copyForEver(false);

        shop.delete("by-hand");

        eventually("the object to be gone", () -> shop.move("by-hand").isEmpty());
        assertThat(world.effects()
                        .subList(world.effects().size() - 2, world.effects().size()))
                .satisfiesExactly(
                        first -> assertThat(first).startsWith("aborted ds-1"),
                        second -> assertThat(second).startsWith("owned ds-0"));
        assertThat(movers.open()).isZero();
    }

    @Test
    void aClusterThatIsDeletedGoesWhenTheMovesThatItNamesHaveEnded() {
        readyWithFour();
        movers.copyForEver(true);
        shop.move("at-work", "ds-0", "ds-1", bucketOf("ds-0"));
        eventually("the copy", () -> shop.phase("at-work").equals("Copying"));

        shop.deleteCluster();

        eventually(
                "the move to be named",
                () -> shop.clusterCondition(ConditionType.ACCEPTED)
                        .filter(condition -> condition.message().contains("being deleted")
                                && condition.message().contains("at-work"))
                        .isPresent());
        movers.copyForEver(false);
        shop.delete("at-work");

        eventually("the cluster to be gone", () -> shop.cluster() == null);
        eventually("its move to be gone", () -> shop.move("at-work").isEmpty());
        assertThat(shop.table()).isPresent();
    }

    @Test
    void letsGoOfAMoveByForceAndSaysSo() {
        readyWithFour();
        movers.copyForEver(true);
        shop.move("stuck", "ds-0", "ds-1", bucketOf("ds-0"));
        eventually("the copy", () -> shop.phase("stuck").equals("Copying"));
        int before = world.effects().size();
        shop.annotate("stuck", "shardwright.io/force-remove", "the target burnt down");

        shop.delete("stuck");

        eventually("the object to be gone", () -> shop.move("stuck").isEmpty());
        assertThat(world.effects()).hasSize(before);
        assertThat(shop.events("ForceRemoved")).singleElement().asString().contains("the target burnt down");
    }

    @Test
    void namesARouterThatNeverAcknowledgesAndGoesOnWhenItIsGone() {
        readyWithFour();
        shop.policy("orders", "Manual", "");
        routers.freeze("web-0");
        shop.move("held", "ds-0", "ds-1", bucketOf("ds-0"));

        eventually(
                "the router to be named",
                () -> shop.move("held")
                        .map(move -> move.getStatus())
                        .filter(status -> status != null
                                && status.nextAction() != null
                                && status.blockedBy().stream()
                                        .anyMatch(one -> one.name().startsWith("web-0")))
                        .isPresent());
        assertThat(shop.phase("held")).isEqualTo("Ready");
        assertThat(world.owned("ds-0")).isEqualTo(2);
        eventually("the event", () -> !shop.events("AwaitingAcks").isEmpty()); // told after the status is stored
        String since = blockedSince("held");
        long end =
                room.nanos().getAsLong() + Duration.ofSeconds(75).toNanos(); // the fence rows are read again every 30 s
        Quiet.observe(
                LIMIT, () -> room.nanos().getAsLong() - end > 0 || touching(() -> !since.equals(blockedSince("held"))));
        assertThat(blockedSince("held")).isEqualTo(since);
        assertThat(shop.events("AwaitingAcks")).hasSize(1);

        routers.with("web-1", Role.WEB);
        routers.forget("web-0");
        shop.deletePod("web-0");

        eventually("the switch", () -> world.owned("ds-0") == 1);
    }

    private String blockedSince(String move) {
        return shop.move(move).orElseThrow().getStatus().blockedBy().stream()
                .map(one -> one.since())
                .findFirst()
                .orElse("nobody is named");
    }

    @Test
    void aTargetThatIsDownIsOneChangeOfPhaseHoweverOftenItIsTried() {
        readyWithFour();
        shop.policy("orders", "Manual", "");
        movers.targetDown(true);
        shop.move("patient", "ds-0", "ds-1", bucketOf("ds-0"));
        eventually("the fault", () -> shop.phase("patient").equals("Blocked"));

        // 40 s of the room: tries after 2, 6, 14 and 30 s
        Quiet.observe(
                Duration.ofSeconds(4),
                () -> touching(() -> !shop.phase("patient").equals("Blocked")));

        assertThat(shop.phase("patient")).isEqualTo("Blocked");
        assertThat(shop.move("patient").orElseThrow().getStatus().history())
                .filteredOn(one -> one.to().equals("Blocked"))
                .hasSize(1);
        assertThat(shop.events("UnreachableShard")).hasSize(1);
        assertThat(movers.attempts(Mover.Command.PREPARE)).isBetween(3L, 5L);

        movers.targetDown(false);

        inAMinute("the next try to succeed", () -> !shop.phase("patient").equals("Blocked"));
        eventually("the switch", () -> world.owned("ds-0") == 1);
    }

    @Test
    void aNewProcessFinishesACleanupThatTheOldOneHadBegun() {
        readyWithFour();
        shop.policy("orders", "Manual", "");
        movers.cleanUpForEver(true);
        shop.move("nearly-done", "ds-0", "ds-1", bucketOf("ds-0"));
        eventually("the switch", () -> world.owned("ds-0") == 1);
        inAMinute("the cleanup", () -> shop.phase("nearly-done").equals("CleaningUp"));

        restart(() -> movers.cleanUpForEver(false));
        routers.rejoin("worker-0", Role.WORKER).rejoin("web-0", Role.WEB);

        inAMinute("the end", () -> shop.phase("nearly-done").equals("Succeeded"));
        assertThat(shop.move("nearly-done").orElseThrow().getStatus().switches())
                .hasSize(1);
        assertThat(shop.move("nearly-done").orElseThrow().getStatus().history())
                .extracting(one -> one.to())
                .containsSubsequence("CleaningUp", "Succeeded");
    }

    @Test
    void aNewProcessGoesOnWhereTheOldOneStopped() {
        readyWithFour();
        movers.copyForEver(true);
        shop.move("survivor", "ds-0", "ds-1", bucketOf("ds-0"));
        eventually("the copy", () -> shop.phase("survivor").equals("Copying"));

        restart(() -> movers.copyForEver(false));
        routers.rejoin("worker-0", Role.WORKER).rejoin("web-0", Role.WEB);

        eventually("the switch", () -> world.owned("ds-0") == 1);
        assertThat(movers.opened()).isEqualTo(3); // of the copy, of the rest, and of the way back
        assertThat(shop.table().orElseThrow().getSpec().writerEpoch()).isEqualTo(2);
    }

    @Test
    void writesNothingWhileNothingHappens() {
        readyWithFour();
        shop.policy("orders", "Propose", "");
        eventually("the policy", () -> policyIs("orders", ConditionType.PLAN_APPROVED, "NoPlan"));
        eventually(
                "all acknowledgements to be shown",
                () -> shop.table()
                        .map(table -> table.getStatus())
                        .filter(status ->
                                status != null && "1/1".equals(status.acked().web()))
                        .isPresent());
        eventually("what has happened to be written down", () -> {
            long now = writes();
            // counts of acknowledgements: every 5 s of the room at most
            Quiet.observe(Duration.ofSeconds(2), () -> touching(() -> writes() > now));
            return writes() == now;
        });
        long before = writes();

        Quiet.observe(Duration.ofSeconds(6), () -> touching(() -> writes() > before)); // each touch is a pass

        assertThat(writes()).isEqualTo(before);
    }

    private static long writes() {
        return ApiServer.get().plane().auditLog().entries().stream()
                .filter(entry -> entry.user().equals(ApiServer.OPERATOR))
                .filter(entry -> List.of("create", "update", "patch", "delete").contains(entry.verb()))
                .count();
    }

    @Test
    void waitsForASecretAndSaysWhichKeyItLacks() {
        shop.deleteSecret("orders-mover");
        shop.cluster(4, 8);

        eventually("the missing Secret", () -> clusterIs(ConditionType.ACCEPTED, "SecretUnreadable"));
        assertThat(shop.clusterCondition(ConditionType.ACCEPTED).orElseThrow().message())
                .contains("orders-mover", "does not exist");

        shop.secret("orders-mover");

        eventually("the cluster", () -> clusterIs(ConditionType.FENCE_INSTALLED, "Installed"));
    }

    @Test
    void aLostTableIsMadeAgainFromTheFencesAsANewerOne() {
        readyWithFour();
        String map = shop.table().orElseThrow().getSpec().bucketMap();

        shop.deleteTable();

        eventually(
                "the table",
                () -> shop.table()
                        .filter(table -> table.getSpec().incarnation() == 2
                                && table.getSpec().bucketMap().equals(map))
                        .isPresent());
        assertThat(world.effects())
                .filteredOn(effect -> effect.startsWith("adopt"))
                .hasSize(4);
    }
}
