package io.shardwright.controllers.shardpolicy;

import static io.shardwright.controllers.shardpolicy.Sight.EIGHT;
import static io.shardwright.controllers.shardpolicy.Sight.proposed;
import static io.shardwright.controllers.shardpolicy.Sight.running;
import static io.shardwright.controllers.shardpolicy.Sight.thePlan;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.controllers.world.Golden;
import io.shardwright.crds.ConditionStatus;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import io.shardwright.planning.moves.MovePhase;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What a policy proposes, when its plan runs, and what its status says. */
class PolicyPlannerTest {
    private static final Golden GOLDEN = new Golden("ShardPolicy");

    @Test
    void nothingIsMadeBeforeTheHashIsApproved() {
        assertThat(proposed().plan().create()).isFalse();
        assertThat(proposed().approved("f".repeat(64)).plan().create()).isFalse();
        assertThat(proposed().approved(thePlan().hash()).plan().create()).isTrue();
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

    /** Its moves are made, and then there is none of them any more. */
    private static Sight deleted(String mode) {
        Sight made = proposed()
                .mode(mode)
                .approved(mode.equals("Propose") ? thePlan().hash() : "");
        return made.after(made.status());
    }

    @Test
    void movesThatWereMadeAreNotMadeAgainWhenSomebodyDeletesThemAll() {
        for (String mode : List.of("Propose", "Automatic")) {
            Sight sight = deleted(mode);

            assertThat(sight.plan().create()).as(mode).isFalse();
            assertThat(sight.plan().approved().orElseThrow().message())
                    .contains("used up", "somebody has deleted them")
                    .doesNotContain("is approved;");

            sight.after(PolicyStatusFactory.faulty(
                    sight.after(sight.status()).seen().policy(), "it fails", EIGHT));
            assertThat(sight.plan().create()).as(mode + ", later").isFalse();
        }
    }

    @Test
    void aPlanWhoseMovesWereDeletedRunsAgainWhenItIsApprovedAnew() {
        Sight sight = deleted("Propose");
        assertThat(sight.plan().nextAction())
                .contains("first kubectl patch shardpolicy orders", "\"approvedPlan\":\"\"");

        ShardPolicyStatus emptied = sight.after(sight.status()).approved("").status();
        assertThat(emptied.nextAction())
                .contains("\"approvedPlan\":\"" + thePlan().hash());

        assertThat(sight.after(emptied).approved(thePlan().hash()).plan().create())
                .isTrue();
        assertThat(sight.after(sight.status()).plan().create())
                .as("also this approval is good for one making")
                .isFalse();
    }

    @Test
    void automaticAsksForTheHashOfAPlanWhoseMovesWereDeleted() {
        Sight sight = deleted("Automatic");
        assertThat(sight.plan().nextAction())
                .contains("\"approvedPlan\":\"" + thePlan().hash());

        sight.approved(thePlan().hash());
        assertThat(sight.plan().create()).isTrue();

        ShardPolicyStatus again = sight.after(sight.status()).status();
        assertThat(sight.after(again).plan().create()).isFalse();
        assertThat(again.nextAction()).contains("\"approvedPlan\":\"\"");
        ShardPolicyStatus emptied = sight.approved("").status();
        assertThat(sight.after(emptied).plan().create()).as("emptied").isFalse();
        assertThat(sight.approved(thePlan().hash()).plan().create()).isTrue();
    }

    @Test
    void anApprovalThatWasUsedUpIsNoneWhenItsInputsComeBack() {
        Sight sight = deleted("Propose");
        ShardPolicyStatus other = sight.shards(4).status();
        assertThat(other.plan().hash()).isNotEqualTo(thePlan().hash());

        sight.after(other).shards(3);
        sight.after(sight.status());

        assertThat(sight.status().plan().hash()).isEqualTo(thePlan().hash());
        assertThat(sight.plan().create()).isFalse();
    }

    @Test
    void movesThatHaveEndedAreDeletedBeforeTheirPlanRunsAgain() {
        Sight sight = running();
        sight.moves.clear();
        sight.moves(thePlan(), MovePhase.ABORTED);
        assertThat(sight.plan().nextAction()).contains("kubectl delete bucketmove", "then approve it anew");

        sight.after(sight.approved("").status()).approved(thePlan().hash());
        assertThat(sight.plan().create()).as("their names are taken").isFalse();
        assertThat(sight.plan().nextAction())
                .contains("kubectl delete bucketmove")
                .doesNotContain("approve");

        sight.after(sight.status()).moves.clear();
        assertThat(sight.plan().create()).isTrue();
    }

    @Test
    void aProcessThatDiedHalfWayIsFollowedByOneThatMakesTheRest() {
        Sight sight = proposed().approved(thePlan().hash()).moves(thePlan(), MovePhase.PENDING);
        sight.moves.remove(1);

        assertThat(sight.plan().create()).isTrue();
        assertThat(sight.plan().shown()).contains(thePlan());
    }

    @Test
    void anApprovedPlanWaitsForMovesThatAreNotItsOwn() {
        Plan other = new Plan("e".repeat(64), null, thePlan().moves(), null, null, null, null, null);

        PolicyPlan plan = proposed()
                .approved(thePlan().hash())
                .moves(other, MovePhase.COPYING)
                .plan();

        assertThat(plan.create()).isFalse();
        assertThat(plan.approved().orElseThrow().message()).contains("when BucketMove orders-eeeeeeee");
    }

    private static Plan before(String from, String to, Integer... buckets) {
        return new Plan(
                "e".repeat(64),
                null,
                List.of(new ShardPolicyStatus.PlannedMove(from, to, List.of(buckets), null)),
                null,
                null,
                null,
                null,
                null);
    }

    @Test
    void aPlanWaitsForAMoveThatSoaksOnlyWhenItMovesABucketOfIt() {
        Sight approved = proposed().approved(thePlan().hash()).moves(before("ds-1", "ds-0", 0), MovePhase.REVERSIBLE);
        Sight onward = proposed().approved(thePlan().hash()).moves(before("ds-1", "ds-0", 3), MovePhase.REVERSIBLE);
        Sight goesBack = proposed().approved(thePlan().hash()).moves(before("ds-1", "ds-0", 0), MovePhase.REVERSING);

        assertThat(thePlan().moves().get(0).buckets()).contains(3).doesNotContain(0);
        assertThat(approved.plan().create()).isTrue();
        assertThat(onward.plan().create()).isFalse();
        assertThat(onward.plan().approved().orElseThrow().message()).contains("when BucketMove orders-eeeeeeee");
        assertThat(goesBack.plan().create()).isFalse();
    }

    /** A shard is added while the moves of the first plan soak. */
    @Test
    void automaticMakesTheNextPlanWhileTheMovesOfTheLastOneSoak() {
        Plan first = thePlan();
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
        Sight sight = proposed().approved(thePlan().hash());
        sight.suspended = true;

        assertThat(sight.plan().create()).isFalse();
        assertThat(reason(sight.status(), ConditionType.PLAN_APPROVED)).isEqualTo("Suspended");
        assertThat(sight.status().nextAction()).contains("set spec.suspend of the ShardCluster to false");
    }

    @Test
    void anApprovedPlanIsMadeInItsWindowAndNotBefore() {
        Sight night = proposed().approved(thePlan().hash()).nightlyInSeoul();
        Sight day = proposed()
                .approved(thePlan().hash())
                .times("windows: [{cron: '0 16 * * *', duration: 4h, timeZone: Asia/Seoul}]");

        assertThat(night.plan().create()).isFalse();
        assertThat(night.mode("Automatic").plan().create()).isFalse();
        assertThat(day.plan().create()).isTrue();
        assertThat(day.mode("Automatic").plan().create()).isTrue();
    }

    /** A process that died half-way through making them goes on when the window is open; the made ones wait themselves. */
    @Test
    void aPlanThatRunsIsNotCalledUnapprovedBecauseItsWindowIsClosed() {
        Sight closed = running().nightlyInSeoul();

        assertThat(reason(closed.status(), ConditionType.PLAN_APPROVED)).isEqualTo("Approved");
        assertThat(closed.plan().nextAction()).contains("wait until 2026-03-01T17:00:00Z");
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
        Sight first = new Sight().approved(thePlan().hash());
        Sight behind = proposed()
                .approved(thePlan().hash())
                .moves(
                        new Plan("e".repeat(64), null, thePlan().moves(), null, null, null, null, null),
                        MovePhase.COPYING);

        assertThat(reason(first.status(), ConditionType.PLAN_APPROVED)).isEqualTo("Pending");
        assertThat(reason(behind.status(), ConditionType.PLAN_APPROVED)).isEqualTo("Moving");
    }

    @Test
    void aPlanWaitsForAShardOfItsOwnThatCannotBeUsed() {
        Sight concerned = proposed().approved(thePlan().hash());
        concerned.unreachable = "ds-2";
        Sight other = proposed().approved(thePlan().hash());
        other.unreachable = "ds-7";

        assertThat(concerned.plan().create()).isFalse();
        assertThat(concerned.plan().approved().orElseThrow().message()).contains("shard ds-2", "does not answer");
        assertThat(other.plan().create()).isTrue();
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
        all.put("approved-and-made", proposed().approved(thePlan().hash()));
        all.put("running", running());
        all.put("done", running().owners("ds-0*3,ds-2*2,ds-1*3").moves(thePlan(), MovePhase.SUCCEEDED));
        all.get("done").moves.subList(0, 2).clear();
        all.put("void-after-drift", proposed().approved("f".repeat(64)));
        all.put("moves-ended-and-nothing-moved", running().moves(thePlan(), MovePhase.ABORTED));
        all.get("moves-ended-and-nothing-moved").moves.subList(0, 2).clear();
        all.put("moves-deleted", deleted("Propose"));
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
        all.putAll(timely());
        return all;
    }

    private static Map<String, Sight> timely() {
        String holidays = "freezes: [{from: '2026-02-20T00:00:00Z', to: '2026-03-10T00:00:00Z', reason: holidays}]";
        Map<String, Sight> all = new LinkedHashMap<>();
        all.put(
                "approved-and-waiting-for-its-window",
                proposed().approved(thePlan().hash()).nightlyInSeoul());
        all.put("approved-in-a-freeze", proposed().approved(thePlan().hash()).times(holidays));
        all.put("running-outside-of-its-windows", running().nightlyInSeoul());
        all.put(
                "awaiting-approval-with-an-unknown-time-zone",
                new Sight().times("windows: [{cron: '0 2 * * *', duration: 4h, timeZone: Asia/Soul}]"));
        return all;
    }

    @TestFactory
    Stream<DynamicTest> saysWhatIsSeenAndWhatToDo() {
        return GOLDEN.each(scenarios(), Sight::status);
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
