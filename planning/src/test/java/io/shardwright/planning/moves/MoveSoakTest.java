package io.shardwright.planning.moves;

import static io.shardwright.planning.moves.MoveFault.Kind.DIVERGED;
import static io.shardwright.planning.moves.MoveFault.Kind.POSITION_LOST;
import static io.shardwright.planning.moves.MoveFault.Kind.UNREACHABLE;
import static io.shardwright.planning.moves.Saying.of;
import static io.shardwright.planning.moves.Sight.OPEN;
import static io.shardwright.planning.moves.Sight.SHUT;
import static io.shardwright.planning.moves.Sight.aFoldedMove;
import static io.shardwright.planning.moves.Sight.aSoakingMove;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.moves.MoveObservation.Intent;
import io.shardwright.planning.moves.MoveObservation.Stage;
import io.shardwright.planning.moves.WayBack.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Between the last publication and the cleanup: the soak, the way back, and the comparison that comes before deletion. */
class MoveSoakTest {
    private static final Duration HALF = Duration.ofMinutes(30);

    static Stream<Saying> cases() {
        return Stream.of(soaking(), turningBack(), comparing(), holding(), afterTheReversal())
                .flatMap(List::stream);
    }

    static List<Saying> soaking() {
        return List.of(
                of("the stream of the way there ends first", soaking(Stage.VERIFIED), "Reversible: RETIRE [3, 17]"),
                of("also for a new leader", soaking(Stage.NONE), "Reversible: RETIRE [3, 17]"),
                of("once", aSoakingMove(HALF).stage(Stage.RETIRED).running(MoveStep.RETIRE), "Reversible: wait"),
                of("a part that was undone has ended it", cutShort(), "Reversible: wait"),
                of("then it soaks", aSoakingMove(HALF), "Reversible: wait"),
                of("for the whole time", aSoakingMove(Duration.ofSeconds(3599)), "Reversible: wait"),
                of("and is compared", aSoakingMove(Duration.ofHours(1)), "Reversible: COMPARE [3, 17]"),
                of("Complete shortens it", aSoakingMove(HALF).wanted(Intent.COMPLETE), "Reversible: COMPARE [3, 17]"),
                of(
                        "but not the wait for routers",
                        aSoakingMove(HALF).wanted(Intent.COMPLETE).foldedAcks(SHUT, 0),
                        "Reversible: wait"),
                of("Abort shortens nothing", aSoakingMove(HALF).wanted(Intent.ABORT), "Reversible: wait"),
                of(
                        "without a soak it stays in Publishing",
                        aSoakingMove(HALF).soak(Duration.ZERO).foldedAcks(OPEN, 3),
                        "Publishing: wait"),
                of(
                        "a way back that is lost keeps no log",
                        aSoakingMove(HALF).backFault(POSITION_LOST, false, 60),
                        "Reversible: DISMISS [3, 17]"),
                of("the soak goes on without it", lost(), "Reversible: wait"),
                of(
                        "a login that is refused can be mended",
                        aSoakingMove(HALF).back(Stage.NONE).backFault(UNREACHABLE, false, 60),
                        "Reversible: aside FOLLOW [3, 17]"),
                of(
                        "rows that may be wanted stay after a reversal, too",
                        after(Outcome.DECIDED_AGAINST).kept(3).kept(17),
                        "Publishing: wait"));
    }

    static List<Saying> turningBack() {
        return List.of(
                of("turns back", aSoakingMove(HALF).wanted(Intent.REVERSE), "Reversing: TURN_BACK [3, 17]"),
                of("also after a comparison", aFoldedMove().wanted(Intent.REVERSE), "Reversing: TURN_BACK [3, 17]"),
                of(
                        "not on old rows",
                        aSoakingMove(HALF).truthAge(5).wanted(Intent.REVERSE),
                        "Reversible: aside OBSERVE [3, 17]"),
                of(
                        "not while the way back is compared",
                        aFoldedMove().backRunning(MoveStep.VERIFY).wanted(Intent.REVERSE),
                        "Reversible: wait"),
                of(
                        "not while the way back does not answer",
                        aSoakingMove(HALF).backFault(UNREACHABLE, true, 1).wanted(Intent.REVERSE),
                        "Blocked: wait"),
                of("not without the way back", lost().wanted(Intent.REVERSE), "Blocked: wait"),
                of(
                        "not while both sides differ",
                        aFoldedMove().backFault(DIVERGED, true, 1).wanted(Intent.REVERSE),
                        "Blocked: wait"),
                of(
                        "not in a suspended cluster",
                        aSoakingMove(HALF).wanted(Intent.REVERSE).suspended(),
                        "Reversible: wait"),
                of(
                        "not after the point of no return",
                        aFoldedMove().pastNoReturn().wanted(Intent.REVERSE),
                        "CleaningUp: DISMISS [3, 17]"),
                of("fence rows of a reversal are one", aSoakingMove(HALF).reversing(3), "Reversing: TURN_BACK [3, 17]"),
                of(
                        "also when it has ended for all",
                        aSoakingMove(HALF).takenBack(3).takenBack(17),
                        "Reversing: TURN_BACK [3, 17]"),
                of(
                        "but not when rows may be deleted",
                        aFoldedMove().pastNoReturn().reversing(3),
                        "Blocked: wait"));
    }

    static List<Saying> comparing() {
        return List.of(
                of("shows the comparison", compared(Stage.FOLLOWING).backRunning(MoveStep.VERIFY), "Reversible: wait"),
                of("waits for a way back that is opened again", reopened(), "Reversible: wait"),
                of(
                        "does not delete while it is unreachable",
                        compared(Stage.FOLLOWING).backFault(UNREACHABLE, true, 1),
                        "Blocked: wait"),
                of(
                        "deletes nothing while both sides differ",
                        compared(Stage.FOLLOWING).backFault(DIVERGED, true, 1),
                        "Blocked: wait"),
                of(
                        "nor when they were equal before",
                        compared(Stage.COMPARED).backFault(DIVERGED, true, 1),
                        "Blocked: wait"),
                of(
                        "compares again",
                        compared(Stage.FOLLOWING).backFault(DIVERGED, true, 30),
                        "Blocked: wait, aside COMPARE [3, 17]"),
                of(
                        "in the same words",
                        compared(Stage.FOLLOWING).backFault(DIVERGED, true, 0).backRetrying(MoveStep.VERIFY),
                        "Blocked: wait"),
                of(
                        "a way back that is lost cannot be compared",
                        compared(Stage.ABORTED),
                        "CleaningUp: CLEAN_UP [3, 17]"),
                of(
                        "what differed for an earlier leader is compared again",
                        compared(Stage.FOLLOWING).differed(),
                        "Blocked: wait, aside COMPARE [3, 17]"),
                of(
                        "also before the soak is over",
                        aSoakingMove(HALF).differed(),
                        "Blocked: wait, aside COMPARE [3, 17]"),
                of("until it is equal", compared(Stage.COMPARED).differed(), "CleaningUp: DISMISS [3, 17]"),
                of(
                        "for ever where it cannot be compared",
                        compared(Stage.ABORTED).differed(),
                        "Blocked: wait"),
                of("whatever is wanted", compared(Stage.ABORTED).differed().wanted(Intent.COMPLETE), "Blocked: wait"));
    }

    static List<Saying> holding() {
        return List.of(
                of(
                        "a stream that ended by a difference is closed",
                        compared(Stage.NONE).backFault(DIVERGED, false, 1),
                        "Reversible: DISMISS [3, 17]"),
                of(
                        "and nothing is deleted after that",
                        compared(Stage.NONE).backFault(DIVERGED, false, 1).backRetrying(MoveStep.ABORT),
                        "Blocked: wait"),
                of("a comparison holds for ten minutes", aged(599), "CleaningUp: DISMISS [3, 17]"),
                of("then it is repeated before anything is deleted", aged(600), "Reversible: COMPARE [3, 17]"),
                of("and awaited", aged(600).backRunning(MoveStep.VERIFY), "Reversible: wait"),
                of(
                        "past the point of no return nothing is compared any more",
                        aged(600).stored(MovePhase.CLEANING_UP).pastNoReturn(),
                        "CleaningUp: DISMISS [3, 17]"),
                of("an old comparison is no difference", aged(600).differed(), "Reversible: COMPARE [3, 17]"));
    }

    static List<Saying> afterTheReversal() {
        return List.of(
                of("nothing is deleted after a reversal", allBack(), "Reversing: CLEAN_UP [3, 17]"),
                of("which is no point of no return", allBack().running(MoveStep.CLEAN_UP), "Reversing: wait"),
                of("not beside another command", allBack().running(MoveStep.RETIRE), "Reversing: wait"),
                of("and it ends reversed", allBack().stage(Stage.CLEANED_UP), "Reversed: done"),
                of("kept buckets are cleaned up as usual", halfBack(), "CleaningUp: CLEAN_UP [3, 17]"),
                of("once all know", halfBack().foldedAcks(OPEN, 59), "Publishing: wait"),
                of("with nothing taken back", noneBack(), "CleaningUp: CLEAN_UP [3, 17]"),
                of("not when a difference has ended the reversal", noneBack().differed(), "Blocked: wait"),
                of("nor for the part that was kept", halfBack().differed(), "Blocked: wait"),
                of("whatever is wanted", noneBack().differed().wanted(Intent.COMPLETE), "Blocked: wait"),
                of("where all went back there is nothing to lose", allBack().differed(), "Reversing: CLEAN_UP [3, 17]"),
                of("not while somebody wants them back", halfBack().wanted(Intent.REVERSE), "Blocked: wait"),
                of("a reversal that ended and has not", allBack().reversing(3), "Blocked: wait"));
    }

    private static Sight soaking(Stage stage) {
        return aSoakingMove(HALF).stage(stage);
    }

    private static Sight lost() {
        return aSoakingMove(HALF).back(Stage.ABORTED);
    }

    @Test
    void aBucketThatTheTargetHasLostAllTraceOfStaysWhereItIs() {
        Sight lost = cutShort().truthAge(0).ownedBySourceAlone(17);
        assertThat(lost.foldedFor(Duration.ofHours(1))
                        .back(Stage.ABORTED)
                        .pastNoReturn()
                        .says())
                .isEqualTo("CleaningUp: CLEAN_UP [3, 17]");
    }

    private static Sight cutShort() {
        return aSoakingMove(HALF).aborted(17).folded(3).stage(Stage.ABORTED);
    }

    private static Sight compared(Stage stage) {
        return aFoldedMove().back(stage);
    }

    private static Sight aged(int seconds) {
        return compared(Stage.COMPARED).comparedFor(Duration.ofSeconds(seconds));
    }

    private static Sight reopened() {
        return compared(Stage.NONE).backRunning(MoveStep.FOLLOW);
    }

    private static Sight allBack() {
        return after(Outcome.TAKEN_BACK).takenBack(3).takenBack(17).folded();
    }

    private static Sight halfBack() {
        return after(Outcome.TAKEN_BACK).takenBack(3).kept(17).folded(17).foldedFor(Duration.ofHours(1));
    }

    private static Sight noneBack() {
        return after(Outcome.DECIDED_AGAINST).kept(3).kept(17).foldedFor(Duration.ofHours(1));
    }

    private static Sight after(Outcome outcome) {
        return aSoakingMove(HALF).stored(MovePhase.REVERSING).reversalEnded(outcome);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void decides(Saying saying) {
        saying.holds();
    }

    @Test
    void theEndOfTheSoakIsSaid() {
        MoveDecision.Wait wait = (MoveDecision.Wait) aSoakingMove(HALF).plan();

        assertThat(wait.until()).contains(Sight.NOW.plus(HALF));
    }

    @Test
    void aMoveThatCannotBeReversedSaysWhyAndWhatToDo() {
        assertThat(aSoakingMove(HALF).backFault(POSITION_LOST, false, 60).plan().reason())
                .contains("nothing can be taken back any more", "saw POSITION_LOST");
        MoveDecision.Wait wait =
                (MoveDecision.Wait) lost().wanted(Intent.REVERSE).plan();

        assertThat(wait.reason()).contains("cannot be reversed", "nothing is deleted");
        assertThat(wait.awaited()).contains("spec.intent Run", "BucketMove from ds-4 to ds-0");
    }

    @Test
    void aMoveThatDiffersSaysTheWholeWayToLetItGo() {
        assertThat(Stream.of(
                                compared(Stage.ABORTED).differed(),
                                compared(Stage.FOLLOWING).backFault(DIVERGED, true, 1))
                        .map(Sight::plan))
                .allSatisfy(decision -> assertThat(((MoveDecision.Wait) decision).awaited())
                        .endsWith("annotate it with shardwright.io/force-remove=\"<reason>\", then delete it"));
    }

    @Test
    void aComparisonIsRepeatedAfterPausesThatGrowToTenMinutes() {
        assertThat(Stream.of(1, 2, 3, 4, 5, 6, 9)
                        .map(times -> FaultChecks.pause(
                                new MoveFault(DIVERGED, true, "", "", Duration.ZERO, times), ComparisonChecks.LONGEST))
                        .map(Duration::toSeconds))
                .containsExactly(30L, 60L, 120L, 240L, 480L, 600L, 600L);
    }

    @Test
    void aCleanupWithoutAComparisonSaysSo() {
        assertThat(compared(Stage.ABORTED).plan().reason()).endsWith("; not compared: the way back was lost");
        assertThat(noneBack().plan().reason()).endsWith("; not compared: the reversal has ended");
        assertThat(aFoldedMove().plan().reason()).doesNotContain("not compared");
    }

    @Test
    void aMoveOfWhichAPartWasTakenBackSaysBoth() {
        assertThat(halfBack().stage(Stage.CLEANED_UP).plan())
                .isEqualTo(new MoveDecision.Done(
                        MovePhase.SUCCEEDED, "ds-4 owns buckets [17]; taken back: buckets [3] are on ds-0 again"));
    }
}
