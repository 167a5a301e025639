package io.shardwright.controllers.bucketmove;

import static io.shardwright.controllers.bucketmove.MoveSight.act;
import static io.shardwright.controllers.bucketmove.MoveSight.awaiting;
import static io.shardwright.controllers.bucketmove.MoveSight.verified;
import static io.shardwright.controllers.bucketmove.ReversalLife.LOST;
import static io.shardwright.controllers.bucketmove.ReversalLife.NINE;
import static io.shardwright.controllers.bucketmove.ReversalLife.back;
import static io.shardwright.controllers.bucketmove.ReversalLife.lost;
import static io.shardwright.controllers.bucketmove.ReversalLife.reversible;
import static io.shardwright.controllers.bucketmove.ReversalLife.soaking;
import static io.shardwright.controllers.world.MoveStatuses.condition;
import static io.shardwright.controllers.world.MoveStatuses.said;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.ConditionType;
import io.shardwright.crds.bucketmove.BucketMoveSpec.Intent;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.dataplane.MoveReport.Progress;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.planning.moves.MoveDecision;
import io.shardwright.planning.moves.MoveDecision.Done;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.moves.MoveStep;
import io.shardwright.planning.moves.WayBack;
import io.shardwright.routing.FenceState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a move says of a difference between both sides after its switch, by whomever and whenever it was found. */
class KnownDifferenceTest {
    @Test
    void aDifferenceIsKnownUntilBothSidesAreFoundEqual() {
        BucketMoveStatus soaking = ReversalLife.statuses().get("01-reversible");
        String differs = "bucket 17: 1 row differs";
        Duration since = Duration.ofMinutes(20);

        BucketMoveStatus found =
                soaking(since).differing(differs).after(soaking).status(reversible(), NINE);
        BucketMoveStatus byANewLeader = new MoveSight().after(found).status(reversible(), NINE);
        BucketMoveStatus followed = soaking(since).after(byANewLeader).status(reversible(), NINE);
        BucketMoveStatus lost = lost(followed).status(reversible(), NINE);
        BucketMoveStatus blocked =
                soaking(since).after(lost).status(awaiting(MovePhase.BLOCKED, differs, "a person"), NINE);
        BucketMoveStatus repaired = soaking(since).compared().after(lost).status(reversible(), NINE);

        assertThat(List.of(found, byANewLeader, followed, lost, blocked))
                .extracting(status -> condition(status, ConditionType.REVERSIBLE))
                .allSatisfy(one -> assertThat(one)
                        .hasValueSatisfying(said -> assertThat(said.reason() + ": " + said.message())
                                .isEqualTo("Diverged: " + differs)));
        assertThat(said(blocked, ConditionType.PROGRESSING)).isEqualTo("False Diverged");
        assertThat(said(repaired, ConditionType.REVERSIBLE)).isEqualTo("True Reversible");
    }

    @Test
    void aDifferenceOutlivesAFailoverThatGivesBackTheOwnerOrTakesItAway() {
        String differs = "bucket 17: 1 row differs";
        BucketMoveStatus found = soaking(Duration.ofMinutes(20))
                .differing(differs)
                .after(ReversalLife.statuses().get("01-reversible"))
                .status(reversible(), NINE);

        BucketMoveStatus twoOwners = new MoveSight()
                .rows(FenceState.OWNED, FenceState.OWNED)
                .after(found)
                .planned(NINE);
        BucketMoveStatus noOwner = new MoveSight()
                .rows(FenceState.MOVED, FenceState.IMPORTING)
                .after(found)
                .planned(NINE);
        BucketMoveStatus atHome = new MoveSight()
                .rows(FenceState.OWNED, FenceState.ABORTED)
                .after(found)
                .planned(NINE);

        assertThat(List.of(twoOwners, noOwner)).allMatch(Reversibility::differed);
        assertThat(said(twoOwners, ConditionType.PROGRESSING)).isEqualTo("False TwoOwners");
        assertThat(Reversibility.differed(atHome)).isFalse();
    }

    @Test
    void aDifferenceThatEndsAReversalIsToldUntilAPersonLetsTheMoveGo() {
        BucketMoveStatus reversing = ReversalLife.statuses().get("02-reversing");
        MoveDecision abort = act(MovePhase.ABORTING, MoveStep.ABORT, "bucket 17: 1 row differs");
        Done aborted = new Done(MovePhase.FAILED, "decided against; ds-4 owns all buckets");

        BucketMoveStatus found =
                back().failed("bucket 17: 1 row differs").after(reversing).status(abort, NINE);
        BucketMoveStatus byANewLeader =
                new MoveSight().intent(Intent.REVERSE).after(found).status(abort, NINE);
        BucketMoveStatus ended = back().after(byANewLeader).status(aborted, NINE);
        MoveSight kept = verified(3, 17).foldedFor(Duration.ofMinutes(20));
        BucketMoveStatus blocked =
                kept.after(ended).status(awaiting(MovePhase.BLOCKED, "both sides differ", "a person"), NINE);

        BucketMoveStatus twoOwners = new MoveSight()
                .rows(FenceState.OWNED, FenceState.OWNED)
                .after(ended)
                .planned(NINE);

        assertThat(List.of(found, byANewLeader, ended, blocked, twoOwners))
                .extracting(
                        status -> condition(status, ConditionType.REVERSIBLE).orElseThrow())
                .allSatisfy(one -> assertThat(one.reason() + ": " + one.message())
                        .isEqualTo("Diverged: bucket 17: 1 row differs"));
        assertThat(said(blocked, ConditionType.PROGRESSING)).isEqualTo("False Diverged");
        assertThat(MoveFigures.proveTheSame(reversing, found)).isFalse();
        assertThat(MoveFigures.proveTheSame(found, byANewLeader)).isTrue();
    }

    @Test
    void aDifferenceThatWasMendedIsNotToldOfAReversalThatHasVerified() {
        BucketMoveStatus found = back().failed("bucket 17: 1 row differs")
                .after(ReversalLife.statuses().get("02-reversing"))
                .status(awaiting(MovePhase.BLOCKED, "bucket 17: 1 row differs", "a person"), NINE);

        BucketMoveStatus equal = back().report(Stage.VERIFIED, Progress.NONE, List.of(), Optional.empty())
                .after(found)
                .status(act(MovePhase.READY, MoveStep.ANNOUNCE, "verified"), NINE);

        assertThat(said(equal, ConditionType.REVERSIBLE)).isEqualTo("False Reversing");
    }

    @Test
    void thePlannerHearsOfADifferenceThatAnEarlierLeaderFound() {
        BucketMoveStatus found =
                soaking(Duration.ofMinutes(20)).differing("bucket 17 differs").status(reversible(), NINE);
        BucketMoveStatus soaking = ReversalLife.statuses().get("01-reversible");
        WayBack following = soaking(Duration.ofMinutes(20)).wayBack(found);

        assertThat(following.isKnownToDiffer()).isTrue();
        assertThat(soaking(Duration.ofMinutes(20))
                        .wayBackLost(LOST)
                        .wayBack(found)
                        .isKnownToDiffer())
                .isTrue();
        assertThat(soaking(Duration.ofMinutes(20)).compared().wayBack(found).isKnownToDiffer())
                .isFalse();
        assertThat(soaking(Duration.ofMinutes(20)).wayBack(soaking).isKnownToDiffer())
                .isFalse();
        assertThat(soaking(Duration.ofMinutes(20)).wayBack(null).isKnownToDiffer())
                .isFalse();
    }
}
