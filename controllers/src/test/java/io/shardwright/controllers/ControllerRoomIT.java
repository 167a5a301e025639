package io.shardwright.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.controllers.world.ApiServer;
import io.shardwright.controllers.world.Quiet;
import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionType;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.routing.Role;
import io.shardwright.servers.ControlPlane;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the kinds do together, see {@link RunningRoom}. */
class ControllerRoomIT extends ShopRoom {
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

    /** By the very command that the status shows. */
    @Test
    void aServerThatWasUpgradedIsAcceptedByThePersonWhoKnowsAndNothingElseChanges() {
        readyWithFour();
        var table = shop.table().orElseThrow().getSpec();
        var fences = world.fence("ds-1");
        var effects = world.effects();
        world.replaceDatabase("ds-1", "7301");
        eventually("the changed identity", () -> clusterIs(ConditionType.REACHABLE, "IdentityChanged"));
        String advice = shop.cluster().getStatus().nextAction();

        ControlPlane plane = ApiServer.get().plane();
        plane.kubectl(plane.adminKubeconfig())
                .run(advice.substring(advice.indexOf("annotate ")).split(" "))
                .orThrow();

        eventually("the cluster", () -> clusterIs(ConditionType.READY, "Settled"));
        assertThat(shop.cluster().getStatus().shards().get("ds-1").systemIdentifier())
                .isEqualTo("7301");
        assertThat(shop.table().orElseThrow().getSpec()).isEqualTo(table);
        assertThat(world.fence("ds-1")).isEqualTo(fences);
        assertThat(world.effects()).isEqualTo(effects);

        world.replaceDatabase("ds-1", "system-ds-1");

        eventually("the old server to be refused", () -> clusterIs(ConditionType.REACHABLE, "IdentityChanged"));
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

    @Test
    void movesOfAPlanThatSomebodyDeletesAreNotMadeAgainBeforeItIsApprovedAnew() {
        readyWithFour();
        movers.copyForEver(true);
        shop.policy("orders", "Propose", "");
        shop.cluster(5, 8);
        eventually("a plan", () -> policyIs("orders", ConditionType.PLAN_APPROVED, "AwaitingApproval"));
        String hash = planHash();
        shop.policy("orders", "Propose", hash);
        eventually(
                "the copy",
                () -> shop.moves().stream()
                        .anyMatch(
                                move -> shop.phase(move.getMetadata().getName()).equals("Copying")));
        assertThat(policyIs("orders", ConditionType.PLAN_APPROVED, "Approved")).isTrue();

        shop.moves().forEach(move -> shop.delete(move.getMetadata().getName()));

        eventually(
                "the used approval",
                () -> shop.moves().isEmpty() && policyIs("orders", ConditionType.PLAN_APPROVED, "AwaitingApproval"));
        Quiet.observe(Duration.ofSeconds(3), () -> touching(() -> !shop.moves().isEmpty()));
        assertThat(shop.moves()).isEmpty();
        assertThat(planHash()).isEqualTo(hash);

        shop.policy("orders", "Propose", "");
        eventually(
                "the empty approval to be seen",
                () -> shop.policy("orders").getStatus().made().approvedPlan().isEmpty());
        shop.policy("orders", "Propose", hash);

        eventually("the same move once more", () -> shop.moves().size() == 1);
        eventually(
                "its copy",
                () -> shop.phase(shop.moves().getFirst().getMetadata().getName())
                        .equals("Copying"));
        assertThat(policyIs("orders", ConditionType.PLAN_APPROVED, "Approved")).isTrue();
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

    @Test
    void namesOnTheTableWhoHasNotAcknowledgedItAndNobodyOnceAllHave() {
        shop.pod("web-0", "orders-web");
        routers.with("worker-0", Role.WORKER);
        shop.cluster(4, 8);

        eventually("the router that never speaks to be named", () -> missing().equals(List.of("web-0 (web)")));

        routers.rejoin("web-0", Role.WEB);

        eventually("nobody to be missing", () -> missing().isEmpty());
        assertThat(shop.table().orElseThrow().getStatus().acked().total()).isEqualTo("2/2");
    }

    /** Names; while nothing has been said, nobody knows. */
    private List<String> missing() {
        return shop.table()
                .map(table -> table.getStatus())
                .map(status -> status.missing().stream().map(one -> one.name()).toList())
                .orElse(List.of("unknown"));
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
