package io.shardwright.controllers.shardpolicy;

import static io.shardwright.controllers.shardpolicy.Sight.proposed;
import static io.shardwright.controllers.shardpolicy.Sight.thePlan;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whoever took a move back is not argued with: what that holds, what it does not, and what ends it. */
class ReversedMovesTest {
    @Test
    void automaticMakesNoMoveAgainThatWasReversed() {
        Plan halfReversed =
                new Plan("e".repeat(64), null, List.of(thePlan().moves().get(0)), null, null, null, null, null);
        Sight sight = proposed().mode("Automatic").moves(halfReversed, "Reversed");

        PolicyPlan held = sight.plan();

        assertThat(held.create()).isFalse();
        assertThat(held.shown()).isPresent();
        assertThat(held.approved().orElseThrow().message()).contains("reversed (orders-eeeeeeee-ds-0-ds-2)");
        assertThat(held.nextAction())
                .contains(
                        "kubectl delete bucketmove -n shop orders-eeeeeeee-ds-0-ds-2",
                        "approvedPlan",
                        thePlan().hash());
        assertThat(sight.approved(thePlan().hash()).plan().create()).isTrue();
        sight.approved("").moves.clear();
        assertThat(sight.plan().create()).isTrue();
    }

    @Test
    void whoReversedTheWholePlanDeletesItsMovesAndApprovesItAnewToRunItAgain() {
        Sight sight = proposed().mode("Automatic");
        sight.after(sight.status()).moves(thePlan(), "Reversed");

        PolicyPlan held = sight.plan();

        assertThat(held.create()).isFalse();
        assertThat(held.approved().orElseThrow().message())
                .contains("waits for their deletion and after it for approval")
                .doesNotContain("waits for approval");
        assertThat(held.nextAction())
                .startsWith(
                        "kubectl delete bucketmove -n shop " + String.join(" ", names(sight.moves)) + "; then approve")
                .doesNotContain("lets it run");
        assertThat(sight.approved(thePlan().hash()).plan().create())
                .as("the names of its moves are taken")
                .isFalse();
        sight.approved("").moves.clear();
        assertThat(sight.plan().create()).as("their deletion alone").isFalse();
        assertThat(sight.plan().nextAction()).contains("approvedPlan", thePlan().hash());
        assertThat(sight.approved(thePlan().hash()).plan().create()).isTrue();
    }

    @Test
    void aReversedMoveThatThePlanDoesNotRepeatHoldsNothing() {
        Plan elsewhere = new Plan(
                "e".repeat(64),
                null,
                List.of(new ShardPolicyStatus.PlannedMove("ds-0", "ds-1", List.of(0), null)),
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
                        .approved(thePlan().hash())
                        .moves(elsewhere, "Reversed")
                        .plan()
                        .create())
                .isTrue();
    }

    private static List<String> names(List<BucketMove> moves) {
        return moves.stream().map(move -> move.getMetadata().getName()).toList();
    }

    /** Each with another name, all of a bucket that the plan moves. */
    private static Sight reversed(int moves, int nameLength) {
        Sight sight = proposed().mode("Automatic");
        for (int i = 0; i < moves; i++) {
            sight.moves(
                    new Plan("e".repeat(64), null, List.of(thePlan().moves().get(0)), null, null, null, null, null),
                    "Reversed");
            sight.moves.getLast().getMetadata().setName("m" + i + "-".repeat(nameLength - 3) + "x");
        }
        return sight;
    }

    @Test
    void theCommandNamesEveryReversedMoveSoThatItCanBeRun() {
        Sight sight = reversed(6, 20);

        assertThat(sight.plan().nextAction())
                .startsWith(
                        "kubectl delete bucketmove -n shop " + String.join(" ", names(sight.moves)) + " lets it run");
        assertThat(sight.plan().approved().orElseThrow().message())
                .contains(names(sight.moves).get(3) + " and 2 more")
                .doesNotContain("...");
    }

    @Test
    void aCommandThatAFieldDoesNotTakeNamesWholeMovesAndCountsTheOthers() {
        Sight sight = reversed(9, 150);

        String action = sight.status().nextAction();

        assertThat(action).hasSizeLessThanOrEqualTo(1024).contains("(and then 7 more, which are named here next)");
        assertThat(action.substring(0, action.indexOf(" (")))
                .isEqualTo("kubectl delete bucketmove -n shop "
                        + String.join(" ", names(sight.moves).subList(0, 2)));
        assertThat(action).contains("approvedPlan", thePlan().hash());
    }
}
