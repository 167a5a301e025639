package io.shardwright.controllers.bucketmove;

import static io.shardwright.controllers.bucketmove.MoveSight.EIGHT;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.controllers.report.Transition;
import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveReport.Progress;
import io.shardwright.dataplane.MoveReport.Stage;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What people read of a bucket that two shards own, and of one that nobody owns because its target is gone. */
class OwnersStatusTest {
    private static final String ID = "00000000-0000-0000-0000-000000000042";
    private static final String COMMAND =
            "kubectl annotate bucketmove orders-5 -n shop --overwrite shardwright.io/force-reclaim=" + ID;

    @Test
    void twoOwnersAndThenTheOneThatWasClosedAreTold() {
        BucketMoveStatus twice = new MoveSight().twoOwners().planned(EIGHT);
        assertThat(twice.phase()).isEqualTo("Blocked");
        assertThat(progressing(twice).reason()).isEqualTo("TwoOwners");
        assertThat(twice.nextAction()).contains("by itself");

        BucketMoveStatus closed = new MoveSight().demoted().after(twice).planned(EIGHT.plusSeconds(2));

        assertThat(closed.phase()).isEqualTo("Blocked");
        assertThat(progressing(closed).reason()).isEqualTo("OwnerDemoted");
        assertThat(progressing(closed).message()).contains("ds-0 of buckets [3, 17]");
        assertThat(closed.nextAction()).contains("ShardwrightTwoOwners");
        assertThat(MoveTransitions.between(twice, closed))
                .extracting(Transition::reason)
                .containsExactly("OwnerDemoted");
        assertThat(MoveTransitions.between(
                        closed, new MoveSight().demoted().after(closed).planned(EIGHT.plusSeconds(40))))
                .isEmpty();
    }

    @Test
    void whileALostTargetIsWaitedForTheCommandComesWithWhatMustBeTrueFirst() {
        BucketMoveStatus waiting = silent(new MoveSight().fenced()).planned(EIGHT);

        assertThat(waiting.nextAction())
                .containsSubsequence("buckets 3, 17 are fenced on ds-0, or may be", "ds-4", "first make sure", COMMAND);
        assertThat(waiting.nextAction()).hasSizeLessThan(1024);
    }

    @Test
    void theIdOfAnotherMoveChangesNothing() {
        BucketMoveStatus waiting = silent(new MoveSight().fenced()).planned(EIGHT);
        BucketMoveStatus copied = silent(new MoveSight().fenced())
                .forceReclaim("00000000-0000-0000-0000-000000000043")
                .planned(EIGHT);

        assertThat(copied).isEqualTo(waiting);
    }

    @Test
    void thatItIsTakenBackByForceIsAWarning() {
        BucketMoveStatus waiting = silent(new MoveSight().fenced()).planned(EIGHT);

        BucketMoveStatus forced =
                silent(new MoveSight().fenced()).forceReclaim(ID).after(waiting).planned(EIGHT.plusSeconds(60));

        assertThat(forced.phase()).isEqualTo("Aborting");
        assertThat(MoveTransitions.between(waiting, forced)).singleElement().satisfies(told -> {
            assertThat(told.severity()).isEqualTo(Transition.Severity.WARNING);
            assertThat(told.message()).contains("by force", "ds-4");
        });
    }

    @Test
    void afterwardsTheMoveSaysWhatTheTargetMustNotDo() {
        BucketMoveStatus done = failed(
                        new MoveSight().fenced().forceReclaim(ID),
                        new Failure(Failure.Kind.RECLAIMED, true, "ds-0 owns buckets [3, 17] again", "keep ds-4 away"))
                .planned(EIGHT);

        assertThat(done.phase()).isEqualTo("Blocked");
        assertThat(progressing(done).reason()).isEqualTo("ForceReclaimed");
        assertThat(done.nextAction()).isEqualTo("keep ds-4 away");
    }

    @Test
    void anAnnotationThatIsNotNecessaryIsSaidToBe() {
        BucketMoveStatus answered = MoveSight.verified().forceReclaim(ID).planned(EIGHT);

        assertThat(answered.nextAction()).contains("shardwright.io/force-reclaim is not necessary");
    }

    @Test
    void aSourceThatTakesNoWritesIsToldWithWhatIsDoneInstead() {
        BucketMoveStatus copied = readOnly(new MoveSight().fenced()).planned(EIGHT);

        assertThat(copied.phase()).isEqualTo("Switching");
        assertThat(progressing(copied).message())
                .contains("ds-0 takes no writes, so it cannot take fenced buckets back: ds-4 gets their rows");
    }

    @Test
    void whoAbortsThereIsToldWhatItCosts() {
        BucketMoveStatus first = readOnly(new MoveSight().fenced().intent(BucketMoveSpec.Intent.ABORT))
                .planned(EIGHT);
        BucketMoveStatus waiting = readOnly(new MoveSight().fenced().intent(BucketMoveSpec.Intent.ABORT))
                .after(first)
                .planned(EIGHT.plusSeconds(1));

        assertThat(waiting.phase()).isEqualTo("Aborting");
        assertThat(waiting.nextAction())
                .contains("let ds-0 take writes again", "nobody can write until then", "set spec.intent to Run");
    }

    @Test
    void whereNothingIsFencedTheMoveIsBlockedByIt() {
        BucketMoveStatus blocked = readOnly(MoveSight.verified()).planned(EIGHT);

        assertThat(blocked.phase()).isEqualTo("Blocked");
        assertThat(progressing(blocked).reason()).isEqualTo("SourceReadOnly");
        assertThat(blocked.nextAction()).isEqualTo("make room");
    }

    private static MoveSight readOnly(MoveSight sight) {
        return failed(
                sight,
                new Failure(Failure.Kind.SOURCE_READ_ONLY, true, "shard ds-0: No space left on device", "make room"));
    }

    private static MoveSight silent(MoveSight sight) {
        return failed(
                        sight,
                        new Failure(Failure.Kind.UNREACHABLE, true, "shard ds-4 does not answer", "nothing for now"))
                .byALook();
    }

    private static MoveSight failed(MoveSight sight, Failure failure) {
        return sight.report(Stage.IN_SYNC, Progress.NONE, List.of(), Optional.of(failure));
    }

    private static Condition progressing(BucketMoveStatus status) {
        return Conditions.find(status.conditions(), ConditionType.PROGRESSING).orElseThrow();
    }
}
