package io.shardwright.controllers.shardpolicy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.controllers.access.ClusterSchemas;
import io.shardwright.controllers.resources.MoveResources;
import io.shardwright.controllers.world.Golden;
import io.shardwright.crds.ConditionStatus;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.routing.RunLengthMap;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What a policy proposes, when its plan runs, and what its status says. */
class PolicyPlannerTest {
    private static final Golden GOLDEN = new Golden("ShardPolicy");
    private static final Instant EIGHT = Instant.parse("2026-03-01T08:00:00Z");
    private static final String EIGHT_BUCKETS = "ds-0*4,ds-1*4";

    /** An observation in the making. */
    private static final class Sight {
        private String mode = "Propose";
        private String approved = "";
        private String owners = EIGHT_BUCKETS;
        private int shards = 3;
        private boolean cluster = true;
        private boolean guarded = true;
        private boolean suspended;
        private String unreachable;
        private ShardPolicyStatus stored;
        private String older;
        private final List<BucketMove> moves = new ArrayList<>();
        private Optional<PlanInputs> known = Optional.empty();

        Sight mode(String value) {
            mode = value;
            return this;
        }

        Sight approved(String hash) {
            approved = hash;
            return this;
        }

        Sight owners(String map) {
            owners = map;
            return this;
        }

        Sight shards(int count) {
            shards = count;
            return this;
        }

        Sight after(ShardPolicyStatus status) {
            stored = status;
            return this;
        }

        Sight moves(Plan plan, MovePhase phase) {
            return moves(plan, phase.wire());
        }

        Sight moves(Plan plan, String phase) {
            MoveResources.moves("shop", "orders", plan, "1h").forEach(move -> {
                move.setStatus(new BucketMoveStatus(
                        1L, phase, null, null, null, null, null, null, null, null, null, null, null, null));
                moves.add(move);
            });
            return this;
        }

        PolicyObservation seen() {
            ShardPolicy policy = policy("orders");
            ShardPolicy inForce = older == null ? policy : policy(older);
            Optional<ShardCluster> found = cluster ? Optional.of(cluster()) : Optional.empty();
            Optional<PlanInputs> inputs =
                    found.map(one -> ClusterSchemas.planInputs(one, RunLengthMap.parse(owners, 8, owner -> owner)));
            return new PolicyObservation(policy, inForce, found, inputs, moves, hash -> known);
        }

        private ShardPolicy policy(String name) {
            ShardPolicy policy = Serialization.unmarshal("""
                    metadata: {name: %1$s, namespace: shop, generation: 2, uid: uid-%1$s}
                    spec: {clusterRef: {name: orders}, rebalancing: {mode: %2$s, approvedPlan: "%3$s"}}
                    """.formatted(name, mode, approved), ShardPolicy.class);
            policy.setStatus(stored);
            return policy;
        }

        private ShardCluster cluster() {
            StringBuilder list = new StringBuilder();
            for (int i = 0; i < shards; i++) {
                list.append("  - {name: ds-%1$d, instances: [{name: a, host: ds-%1$d, port: 5432}]}%n".formatted(i));
            }
            String status = guarded ? "True" : "False";
            return Serialization.unmarshal("""
                    metadata: {name: orders, namespace: shop, generation: 1}
                    spec:
                      engine: PostgreSQL
                      database: shop
                      suspend: %s
                      sharding: {buckets: 8, hash: MD5, keyType: Int64, tables: [{name: orders, shardKey: tenant_id}]}
                      shards:
                    %s
                    status:
                      observedGeneration: 1
                      shards: %s
                      conditions:
                      - {type: Accepted, status: "True", reason: Accepted, message: "", lastTransitionTime: ""}
                      - {type: FenceInstalled, status: "%s", reason: Installed, message: "", lastTransitionTime: ""}
                    """.formatted(suspended, list, unreachable(), status), ShardCluster.class);
        }

        private String unreachable() {
            return unreachable == null
                    ? "{}"
                    : "{%s: {state: Unreachable, buckets: 0, message: it does not answer}}".formatted(unreachable);
        }

        PolicyPlan plan() {
            return PolicyPlanner.plan(seen());
        }

        ShardPolicyStatus status() {
            PolicyObservation seen = seen();
            return PolicyStatusFactory.status(seen.policy(), PolicyPlanner.plan(seen), EIGHT);
        }
    }

    private static Sight proposed() {
        return new Sight().after(new Sight().status());
    }

    private static Plan plan() {
        return new Sight().status().plan();
    }

    private static Sight running() {
        Sight approved = proposed().approved(plan().hash());
        return new Sight().approved(plan().hash()).after(approved.status()).moves(plan(), MovePhase.COPYING);
    }

    @Test
    void nothingIsMadeBeforeTheHashIsApproved() {
        assertThat(proposed().plan().create()).isFalse();
        assertThat(proposed().approved("f".repeat(64)).plan().create()).isFalse();
        assertThat(proposed().approved(plan().hash()).plan().create()).isTrue();
    }

    @Test
    void aPlanIsStoredBeforeItsMovesAreMade() {
        assertThat(new Sight().mode("Automatic").plan().create()).isFalse();
        assertThat(proposed().mode("Automatic").plan().create()).isTrue();
    }

    @Test
    void movesThatWereMadeAreNotMadeAgainWhenSomebodyDeletesOne() {
        Sight sight = running();
        sight.moves.remove(0);

        assertThat(sight.plan().create()).isFalse();
    }

    @Test
    void aProcessThatDiedHalfWayIsFollowedByOneThatMakesTheRest() {
        Sight sight = proposed().approved(plan().hash()).moves(plan(), MovePhase.PENDING);
        sight.moves.remove(1);

        assertThat(sight.plan().create()).isTrue();
        assertThat(sight.plan().shown()).contains(plan());
    }

    @Test
    void anApprovedPlanWaitsForMovesThatAreNotItsOwn() {
        Plan other = new Plan("e".repeat(64), null, plan().moves(), null, null, null, null, null);

        PolicyPlan plan = proposed()
                .approved(plan().hash())
                .moves(other, MovePhase.COPYING)
                .plan();

        assertThat(plan.create()).isFalse();
        assertThat(plan.approved().orElseThrow().message()).contains("when BucketMove orders-eeeeeeee");
    }

    private static Plan before(String from, String to, Integer... buckets) {
        return new Plan(
                "e".repeat(64),
                null,
                List.of(new ShardPolicyStatus.PlannedMove(from, to, List.of(buckets))),
                null,
                null,
                null,
                null,
                null);
    }

    @Test
    void aPlanWaitsForAMoveThatSoaksOnlyWhenItMovesABucketOfIt() {
        Sight approved = proposed().approved(plan().hash()).moves(before("ds-1", "ds-0", 0), MovePhase.REVERSIBLE);
        Sight onward = proposed().approved(plan().hash()).moves(before("ds-1", "ds-0", 3), MovePhase.REVERSIBLE);
        Sight goesBack = proposed().approved(plan().hash()).moves(before("ds-1", "ds-0", 0), MovePhase.REVERSING);

        assertThat(plan().moves().get(0).buckets()).contains(3).doesNotContain(0);
        assertThat(approved.plan().create()).isTrue();
        assertThat(onward.plan().create()).isFalse();
        assertThat(onward.plan().approved().orElseThrow().message()).contains("when BucketMove orders-eeeeeeee");
        assertThat(goesBack.plan().create()).isFalse();
    }

    /** A shard is added while the moves of the first plan soak. */
    @Test
    void automaticMakesTheNextPlanWhileTheMovesOfTheLastOneSoak() {
        Plan first = plan();
        Sight next = new Sight()
                .mode("Automatic")
                .owners("ds-0*3,ds-2*1,ds-1*3,ds-2*1")
                .after(running().status())
                .moves(first, MovePhase.REVERSIBLE);
        assertThat(next.status().plan().hash()).as("nothing comes after it").isEqualTo(first.hash());

        ShardPolicyStatus stored = next.shards(4).status();

        assertThat(stored.plan().hash()).isNotEqualTo(first.hash());
        assertThat(reason(stored, ConditionType.PLAN_APPROVED)).isEqualTo("Pending");
        assertThat(next.after(stored).plan().create()).isTrue();
    }

    @Test
    void theMovesOfThePlanAreNoDriftButAnythingElseIs() {
        String half = "ds-0*3,ds-2*1,ds-1*4";
        assertThat(running()
                        .owners(half)
                        .plan()
                        .approved()
                        .orElseThrow()
                        .reason()
                        .wire())
                .isEqualTo("Approved");

        Sight drifted = running().owners(half).shards(4);
        drifted.moves.forEach(move -> move.setStatus(null));

        assertThat(drifted.plan().approved().orElseThrow().reason().wire()).isEqualTo("PlanVoid");
    }

    @Test
    void aSuspendedClusterGetsNoMoves() {
        Sight sight = proposed().approved(plan().hash());
        sight.suspended = true;

        assertThat(sight.plan().create()).isFalse();
        assertThat(reason(sight.status(), ConditionType.PLAN_APPROVED)).isEqualTo("Suspended");
        assertThat(sight.status().nextAction()).contains("set spec.suspend of the ShardCluster to false");
    }

    @Test
    void aPlanThatRunsOrWaitsSaysThatNothingBeginsInASuspendedCluster() {
        Sight running = running();
        running.suspended = true;
        Sight waiting = proposed();
        waiting.suspended = true;

        for (Sight sight : List.of(running, waiting)) {
            assertThat(sight.plan().approved().orElseThrow().message()).contains("spec.suspend is true");
        }
        assertThat(running.plan().approved().orElseThrow().status()).isEqualTo(ConditionStatus.TRUE);
        assertThat(running.plan().nextAction()).contains("spec.suspend");
    }

    @Test
    void anApprovedPlanThatIsHeldIsNotCalledUnapproved() {
        Sight first = new Sight().approved(plan().hash());
        Sight behind = proposed()
                .approved(plan().hash())
                .moves(new Plan("e".repeat(64), null, plan().moves(), null, null, null, null, null), MovePhase.COPYING);

        assertThat(reason(first.status(), ConditionType.PLAN_APPROVED)).isEqualTo("Pending");
        assertThat(reason(behind.status(), ConditionType.PLAN_APPROVED)).isEqualTo("Moving");
    }

    @Test
    void aPlanWaitsForAShardOfItsOwnThatCannotBeUsed() {
        Sight concerned = proposed().approved(plan().hash());
        concerned.unreachable = "ds-2";
        Sight other = proposed().approved(plan().hash());
        other.unreachable = "ds-7";

        assertThat(concerned.plan().create()).isFalse();
        assertThat(concerned.plan().approved().orElseThrow().message()).contains("shard ds-2", "does not answer");
        assertThat(other.plan().create()).isTrue();
    }

    @Test
    void automaticMakesNoMoveAgainThatWasReversed() {
        Plan halfReversed =
                new Plan("e".repeat(64), null, List.of(plan().moves().get(0)), null, null, null, null, null);
        Sight sight = proposed().mode("Automatic").moves(halfReversed, "Reversed");

        PolicyPlan held = sight.plan();

        assertThat(held.create()).isFalse();
        assertThat(held.shown()).isPresent();
        assertThat(held.approved().orElseThrow().message()).contains("reversed (orders-eeeeeeee-ds-0-ds-2)");
        assertThat(held.nextAction())
                .contains("kubectl delete bucketmove orders-eeeeeeee-ds-0-ds-2", "approvedPlan", plan().hash());
        assertThat(sight.approved(plan().hash()).plan().create()).isTrue();
        sight.approved("").moves.clear();
        assertThat(sight.plan().create()).isTrue();
    }

    @Test
    void whoReversedTheWholePlanDeletesItsMovesToRunItAgain() {
        Sight sight = proposed().mode("Automatic").moves(plan(), "Reversed");

        assertThat(sight.plan().create()).isFalse();
        assertThat(sight.plan().nextAction())
                .startsWith("kubectl delete bucketmove")
                .doesNotContain("approvedPlan");
    }

    @Test
    void aReversedMoveThatThePlanDoesNotRepeatHoldsNothing() {
        Plan elsewhere = new Plan(
                "e".repeat(64),
                null,
                List.of(new ShardPolicyStatus.PlannedMove("ds-0", "ds-1", List.of(0))),
                null,
                null,
                null,
                null,
                null);

        assertThat(proposed()
                        .mode("Automatic")
                        .moves(elsewhere, "Reversed")
                        .plan()
                        .create())
                .isTrue();
        assertThat(proposed()
                        .approved(plan().hash())
                        .moves(elsewhere, "Reversed")
                        .plan()
                        .create())
                .isTrue();
    }

    @Test
    void oneMoveIsNotCalledMoves() {
        PolicyPlan one = new Sight().owners("ds-0*5,ds-1*3").shards(2).plan();

        assertThat(one.approved().orElseThrow().message()).contains("moves 1 bucket with 1 move and");
    }

    @Test
    void aFailedPassIsToldButNeverUnsaysThatTheMovesOfAPlanWereMade() {
        ShardPolicy waiting = proposed().seen().policy();
        ShardPolicy made = running().seen().policy();

        ShardPolicyStatus told = PolicyStatusFactory.faulty(waiting, "BucketMove x exists", EIGHT);
        ShardPolicyStatus kept = PolicyStatusFactory.faulty(made, "the API server answers 500", EIGHT);

        assertThat(reason(told, ConditionType.PLAN_APPROVED)).isEqualTo("OperatorFault");
        assertThat(told.plan()).isEqualTo(waiting.getStatus().plan());
        assertThat(Conditions.isTrue(kept.conditions(), ConditionType.PLAN_APPROVED))
                .isTrue();
        assertThat(reason(kept, ConditionType.IN_BALANCE)).isEqualTo("OperatorFault");
    }

    private static String reason(ShardPolicyStatus status, ConditionType type) {
        return Conditions.find(status.conditions(), type).orElseThrow().reason();
    }

    private static Map<String, Sight> scenarios() {
        Map<String, Sight> all = new LinkedHashMap<>();
        all.put("awaiting-approval", new Sight());
        all.put("approved-and-made", proposed().approved(plan().hash()));
        all.put("running", running());
        all.put("done", running().owners("ds-0*3,ds-2*2,ds-1*3").moves(plan(), MovePhase.SUCCEEDED));
        all.get("done").moves.subList(0, 2).clear();
        all.put("void-after-drift", proposed().approved("f".repeat(64)));
        all.put("moves-ended-and-nothing-moved", running().moves(plan(), MovePhase.ABORTED));
        all.get("moves-ended-and-nothing-moved").moves.subList(0, 2).clear();
        all.put("manual", new Sight().mode("Manual"));
        Sight conflict = new Sight();
        conflict.older = "first";
        all.put("conflict", conflict);
        Sight alone = new Sight();
        alone.cluster = false;
        all.put("cluster-missing", alone);
        Sight unguarded = running();
        unguarded.guarded = false;
        all.put("cluster-unfit-while-the-plan-runs", unguarded);
        return all;
    }

    @TestFactory
    Stream<DynamicTest> saysWhatIsSeenAndWhatToDo() {
        return scenarios().entrySet().stream()
                .map(one -> DynamicTest.dynamicTest(
                        one.getKey(),
                        () -> GOLDEN.check(one.getKey(), one.getValue().status())));
    }

    @Test
    void noScenarioIsMissingAndNoFileIsLeftOver() {
        GOLDEN.nothingElseThan(scenarios().keySet());
    }

    @Test
    void theSameSightTwiceIsTheSameStatus() {
        scenarios().forEach((name, sight) -> {
            if (!name.equals("approved-and-made")) {
                ShardPolicyStatus once = sight.status();
                assertThat(sight.after(once).status()).as(name).isEqualTo(once);
            }
        });
    }
}
