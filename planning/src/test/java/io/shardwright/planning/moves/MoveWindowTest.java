package io.shardwright.planning.moves;

import static io.shardwright.planning.moves.MoveFault.Kind.UNREACHABLE;
import static io.shardwright.planning.moves.Saying.of;
import static io.shardwright.planning.moves.Sight.aFoldedMove;
import static io.shardwright.planning.moves.Sight.aMove;
import static io.shardwright.planning.moves.Sight.aNewMove;
import static io.shardwright.planning.moves.Sight.aSoakingMove;
import static io.shardwright.planning.moves.Sight.aWayBack;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.moves.MoveObservation.Intent;
import io.shardwright.planning.moves.MoveObservation.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Outside of a window no move starts, switches or begins to delete; nothing else waits for one. */
class MoveWindowTest {
    static Stream<Saying> cases() {
        return Stream.of(waiting(), goingOn(), undoing(), deleting()).flatMap(List::stream);
    }

    static List<Saying> waiting() {
        return List.of(
                of("a move that has not begun", aNewMove().unreadable().queuedForTheWindow(), "Pending: wait"),
                of("a switch", closed(aMove()), "Ready: wait"),
                of("the announcement before it", closed(aMove().announced(3)), "Ready: wait"),
                of("the next group", closed(halfMoved()), "Ready: wait"),
                of("a bucket whose drain found no gap", closed(aMove().failedDrains(1, 60)), "Ready: wait"),
                of(
                        "a move that was blocked and could switch now",
                        closed(aMove().stored(MovePhase.BLOCKED)),
                        "Ready: wait"),
                of("the cleanup", closed(aFoldedMove()), "Reversible: wait"),
                of(
                        "the comparison that must not be old by then",
                        closed(aFoldedMove().back(Stage.FOLLOWING)),
                        "Reversible: wait"),
                of("also when it was asked for", closed(aFoldedMove().wanted(Intent.COMPLETE)), "Reversible: wait"),
                of("and without a soak", closed(aFoldedMove().soak(Duration.ZERO)), "Publishing: wait"));
    }

    static List<Saying> goingOn() {
        return List.of(
                of(
                        "a look at both shards",
                        closed(aNewMove().stored(MovePhase.VALIDATING)),
                        "Validating: VALIDATE [3, 17]"),
                of("a copy", closed(aMove().fresh().notResumable()), "Preparing: PREPARE [3, 17]"),
                of("a stream", closed(aMove().fresh()), "CatchingUp: PREPARE [3, 17]"),
                of("a comparison", closed(aMove().stage(Stage.IN_SYNC)), "Verifying: VERIFY [3, 17]"),
                of("the stream back", closed(aMove().back(Stage.NONE)), "Ready: FOLLOW [3, 17]"),
                of("what is fenced is activated", closed(aMove().fenced(3)), "Switching: SWITCH [3]"),
                of("what is activated is published", closed(aMove().activated(3)), "Switching: PUBLISH_TO_WORKERS [3]"),
                of("a switch that runs", closed(aMove().running(MoveStep.SWITCH)), "Switching: wait"),
                of(
                        "a fault is tried again",
                        closed(aMove().fault(UNREACHABLE, true, 60)),
                        "Preparing: PREPARE [3, 17]"),
                of("a soak", closed(aSoakingMove(Duration.ZERO)), "Reversible: wait"));
    }

    static List<Saying> undoing() {
        return List.of(
                of("an abort", closed(aMove().abortWanted()), "Aborting: ABORT [3, 17]"),
                of("an abort of one that has not begun", abortedInTheQueue(), "Aborted: done"),
                of(
                        "a reversal that is wanted",
                        closed(aSoakingMove(Duration.ZERO).wanted(Intent.REVERSE)),
                        "Reversing: TURN_BACK [3, 17]"),
                of("a reversal that begins", closed(aWayBack()), "Preparing: PREPARE [3, 17]"));
    }

    static List<Saying> deleting() {
        return List.of(of(
                "a cleanup that has begun is finished",
                closed(aFoldedMove()
                        .pastNoReturn()
                        .stored(MovePhase.CLEANING_UP)
                        .back(Stage.ABORTED)),
                "CleaningUp: CLEAN_UP [3, 17]"));
    }

    private static Sight abortedInTheQueue() {
        return aNewMove().unreadable().queuedForTheWindow().abortWanted();
    }

    private static Sight closed(Sight sight) {
        return sight.outsideOfWindows();
    }

    private static Sight halfMoved() {
        return aMove().activated(3).visibleToWorkers(3).visibleToWeb(3);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void decides(Saying saying) {
        saying.holds();
    }

    static Stream<Sight> held() {
        return Stream.of(aNewMove().unreadable().queuedForTheWindow(), closed(aMove()), closed(aFoldedMove()));
    }

    @ParameterizedTest
    @MethodSource("held")
    void isAskedAgainWhenTheWindowOpensAndSaysWhoHolds(Sight sight) {
        MoveDecision.Wait wait = (MoveDecision.Wait) sight.plan();

        assertThat(wait.until()).contains(Sight.NOW.plusSeconds(3600));
        assertThat(wait.blockedBy())
                .containsExactly(new MoveDecision.Blocker("ShardPolicy", "tolerance", "outside of its windows"));
        assertThat(wait.reason()).contains("ShardPolicy tolerance", "outside of its windows");
        assertThat(wait.advice().orElseThrow())
                .contains("wait until 2026-01-01T01:00:00Z", "change windows and freezes of ShardPolicy tolerance");
    }

    @Test
    void waitsForAnEventWhenNobodyCanSayWhenAWindowOpens() {
        MoveDecision.Wait wait =
                (MoveDecision.Wait) aMove().closed(Optional.empty()).plan();

        assertThat(wait.until()).isEmpty();
        assertThat(wait.byItself()).isFalse();
    }

    /** Who is first in the queue for other reasons is told those. */
    @Test
    void aMoveThatWaitsForAnotherOneIsNotToldToWaitForTheWindow() {
        MoveDecision.Wait wait = (MoveDecision.Wait)
                aNewMove().unreadable().outsideOfWindows().queuedBehind("first").plan();

        assertThat(wait.reason()).contains("BucketMove first");
        assertThat(wait.advice()).isEmpty();
    }
}
