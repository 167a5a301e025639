package io.shardwright.planning.moves;

import static io.shardwright.planning.moves.MoveFault.Kind.DIVERGED;
import static io.shardwright.planning.moves.MoveFault.Kind.POSITION_LOST;
import static io.shardwright.planning.moves.MoveFault.Kind.UNREACHABLE;
import static io.shardwright.planning.moves.Saying.of;
import static io.shardwright.planning.moves.Sight.aFoldedMove;
import static io.shardwright.planning.moves.Sight.aMove;
import static io.shardwright.planning.moves.Sight.aSoakingMove;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.moves.MoveObservation.Intent;
import io.shardwright.planning.moves.MoveObservation.Stage;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The way there and its way back, before anybody turns: nothing is switched without it, and nothing waits for it later. */
class MoveWayBackTest {
    static Stream<Saying> cases() {
        return Stream.of(beforeTheFirstSwitch(), writtenPastTheFence(), afterTheFirstSwitch())
                .flatMap(List::stream);
    }

    static List<Saying> beforeTheFirstSwitch() {
        return List.of(
                of("is opened before anything is announced", unopened(), "Ready: FOLLOW [3, 17]"),
                of("is awaited", unopened().backRunning(MoveStep.FOLLOW), "Ready: wait"),
                of("then routers are told", aMove().announced(), "Ready: ANNOUNCE [3, 17]"),
                of("is opened again by a new leader", aMove().back(Stage.NONE), "Ready: FOLLOW [3, 17]"),
                of("its fault holds the move", unopened().backFault(UNREACHABLE, true, 1), "Blocked: wait"),
                of(
                        "it is tried again beside that",
                        unopened().backFault(UNREACHABLE, true, 2),
                        "Blocked: wait, aside FOLLOW [3, 17]"),
                of(
                        "in the same words until it ends",
                        unopened().backFault(UNREACHABLE, true, 0).backRetrying(MoveStep.FOLLOW),
                        "Blocked: wait"),
                of("a stream that ended holds it too", aMove().backFault(UNREACHABLE, true, 1), "Blocked: wait"),
                of(
                        "a move that can have none is undone",
                        unopened().backFault(POSITION_LOST, false, 1),
                        "Aborting: ABORT [3, 17]"),
                of("is not opened in a suspended cluster", unopened().suspended(), "Ready: wait"));
    }

    /** Its stream brings what nobody may have written there. */
    static List<Saying> writtenPastTheFence() {
        return List.of(
                of("holds the move", aMove().backFault(DIVERGED, true, 29), "Blocked: wait"),
                of(
                        "what was verified before counts no more",
                        aMove().backFault(DIVERGED, true, 30),
                        "Preparing: PREPARE [3, 17]"),
                of("is not verified while the other stream is not there", inSync(29), "Blocked: wait"),
                of("which is opened first", inSync(30), "Blocked: wait, aside FOLLOW [3, 17]"),
                of("and awaited", inSync(30).backRetrying(MoveStep.FOLLOW), "Blocked: wait"),
                of("then both sides are verified", aMove().stage(Stage.IN_SYNC), "Verifying: VERIFY [3, 17]"),
                of(
                        "what is not in sync is brought there",
                        aMove().stage(Stage.VALIDATED).backFault(DIVERGED, true, 1),
                        "Preparing: PREPARE [3, 17]"),
                of(
                        "a pause forgets nothing of it",
                        aMove().stored(MovePhase.PAUSED).wanted(Intent.PAUSE).backFault(DIVERGED, true, 600),
                        "Paused: wait"),
                of(
                        "a new leader verifies anyhow",
                        aMove().stage(Stage.NONE).back(Stage.NONE),
                        "CatchingUp: PREPARE [3, 17]"));
    }

    private static Sight inSync(int secondsAgo) {
        return aMove().stored(MovePhase.BLOCKED).stage(Stage.IN_SYNC).backFault(DIVERGED, true, secondsAgo);
    }

    static List<Saying> afterTheFirstSwitch() {
        return List.of(
                of("is opened again beside the rest", halfMoved().back(Stage.NONE), "Ready: aside FOLLOW [3, 17]"),
                of(
                        "and the rest does not wait for it",
                        halfMoved().back(Stage.NONE).backRunning(MoveStep.FOLLOW),
                        "Switching: SWITCH [17]"),
                of("nor for its fault", halfMoved().backFault(UNREACHABLE, true, 1), "Switching: SWITCH [17]"),
                of(
                        "one that is lost is let go",
                        halfMoved().backFault(POSITION_LOST, false, 600),
                        "Ready: DISMISS [3, 17]"),
                of(
                        "and the rest does not wait for that",
                        halfMoved().backFault(POSITION_LOST, false, 600).backRetrying(MoveStep.ABORT),
                        "Switching: SWITCH [17]"),
                of(
                        "one that is just lost is let go at once",
                        halfMoved().backFault(POSITION_LOST, false, 0),
                        "Ready: DISMISS [3, 17]"),
                of(
                        "a try to let it go that ended with a loss again cools down",
                        halfMoved().backFault(POSITION_LOST, false, 1, 2),
                        "Switching: SWITCH [17]"),
                of("and is repeated", halfMoved().backFault(POSITION_LOST, false, 2, 2), "Ready: DISMISS [3, 17]"),
                of("one that is closed is let go no more", halfMoved().back(Stage.ABORTED), "Switching: SWITCH [17]"),
                of(
                        "a bucket between fence and activation comes first",
                        aMove().fenced(3).back(Stage.NONE),
                        "Switching: SWITCH [3]"),
                of(
                        "a way back that is lost while the first bucket is fenced undoes nothing",
                        aMove().fenced(3).backFault(POSITION_LOST, false, 1),
                        "Switching: SWITCH [3]"),
                of(
                        "is opened again by a new leader in the soak",
                        aSoakingMove(Duration.ZERO).back(Stage.NONE),
                        "Reversible: aside FOLLOW [3, 17]"),
                of(
                        "not once rows may be deleted",
                        aFoldedMove()
                                .stored(MovePhase.CLEANING_UP)
                                .pastNoReturn()
                                .back(Stage.NONE),
                        "CleaningUp: DISMISS [3, 17]"));
    }

    private static Sight unopened() {
        return aMove().announced().back(Stage.NONE);
    }

    private static Sight halfMoved() {
        return aMove().activated(3).visibleToWorkers(3).visibleToWeb(3);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void decides(Saying saying) {
        saying.holds();
    }

    @Test
    void whatFailedIsSaidOfTheWayBack() {
        MoveDecision.Wait wait =
                (MoveDecision.Wait) unopened().backFault(UNREACHABLE, true, 1).plan();

        assertThat(wait.reason()).isEqualTo("the way back: saw UNREACHABLE");
        assertThat(wait.until()).contains(Sight.NOW.plusSeconds(1));
    }

    @Test
    void anAbortClosesItWhateverItsMoverDoes() {
        Sight aborted = aMove().aborted(3)
                .aborted(17)
                .announced()
                .stored(MovePhase.ABORTING)
                .stage(Stage.ABORTED)
                .wanted(Intent.ABORT);

        assertThat(aborted.backRunning(MoveStep.FOLLOW).says()).isEqualTo("Aborting: DISMISS [3, 17]");
        assertThat(aborted.backRunning(MoveStep.ABORT).says()).isEqualTo("Aborting: wait");
    }
}
