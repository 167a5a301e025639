package io.shardwright.planning.moves;

import static io.shardwright.planning.moves.MoveFault.Kind.DECIDED_AGAINST;
import static io.shardwright.planning.moves.MoveFault.Kind.FOREIGN_ROWS;
import static io.shardwright.planning.moves.MoveFault.Kind.OTHER;
import static io.shardwright.planning.moves.MoveFault.Kind.POSITION_LOST;
import static io.shardwright.planning.moves.MoveFault.Kind.SUPERSEDED;
import static io.shardwright.planning.moves.MoveFault.Kind.UNREACHABLE;
import static io.shardwright.planning.moves.MoveFault.Kind.VALIDATION;
import static io.shardwright.planning.moves.Saying.of;
import static io.shardwright.planning.moves.Sight.aMove;
import static io.shardwright.planning.moves.Sight.aNewMove;
import static io.shardwright.planning.moves.Sight.aSoakingMove;
import static io.shardwright.planning.moves.Sight.aWayBack;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.moves.MoveObservation.Intent;
import io.shardwright.planning.moves.MoveObservation.Stage;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a fault does to a move: it ends it, undoes it, or is got past; and how soon that is tried. */
class MoveFaultTest {
    static Stream<Saying> cases() {
        return Stream.of(ending(), fenced(), unseen(), ends(), streams()).flatMap(List::stream);
    }

    static List<Saying> ending() {
        return List.of(
                of(
                        "what cannot be cured ends a move that has only looked",
                        aNewMove().stored(MovePhase.VALIDATING).fault(VALIDATION, false, 0),
                        "Failed: done"),
                of(
                        "and undoes one that has written",
                        aMove().stored(MovePhase.VALIDATING).fault(VALIDATION, false, 0),
                        "Aborting: ABORT [3, 17]"),
                of(
                        "also one that may have",
                        aNewMove().stored(MovePhase.BLOCKED).fault(VALIDATION, false, 0),
                        "Aborting: ABORT [3, 17]"),
                of("what can be cured undoes nothing", aMove().fault(VALIDATION, true, 1), "Blocked: wait"),
                of(
                        "but for a decision that was made",
                        aMove().fault(DECIDED_AGAINST, true, 0),
                        "Aborting: ABORT [3, 17]"),
                of("an abort that has failed cools down", aborting().fault(UNREACHABLE, true, 1), "Aborting: wait"),
                of("and is tried again", aborting().fault(UNREACHABLE, true, 2), "Aborting: ABORT [3, 17]"));
    }

    static List<Saying> fenced() {
        return List.of(
                of("rows that nobody knows", aMove().fenced(3).fault(FOREIGN_ROWS, true, 0), "Aborting: ABORT [3, 17]"),
                of(
                        "a shard that will never answer",
                        aMove().fenced(3).fault(UNREACHABLE, false, 0),
                        "Aborting: ABORT [3, 17]"),
                of("another mover", aMove().fenced(3).fault(SUPERSEDED, true, 0), "Switching: wait"),
                of("anything else", aMove().fenced(3).fault(OTHER, true, 0), "Switching: wait"),
                of("for a second", aMove().fenced(3).fault(OTHER, true, 1), "Switching: SWITCH [3]"),
                of("a mover that is busy is awaited", aMove().fenced(3).running(MoveStep.GATE), "Switching: wait"),
                of(
                        "an activation that is in the bucket map and was lost",
                        aMove().fenced(3).folded(3),
                        "Aborting: ABORT [3, 17]"));
    }

    /** A bucket may be fenced since the rows were read: then a shard that is back is found within two seconds. */
    static List<Saying> unseen() {
        return List.of(
                of(
                        "what was announced may be fenced",
                        aMove().truthAge(2).fault(UNREACHABLE, true, 2, 9),
                        "Preparing: PREPARE [3, 17]"),
                of(
                        "whatever kept the shard from being read",
                        aMove().truthAge(2).fault(OTHER, true, 2, 9),
                        "Preparing: PREPARE [3, 17]"),
                of(
                        "not when the rows were read after the fault",
                        aMove().truthAge(1).fault(UNREACHABLE, true, 2, 9),
                        "Blocked: wait"),
                of(
                        "nor by a fault that comes of what was read",
                        aMove().truthAge(2).fault(SUPERSEDED, true, 2, 9),
                        "Blocked: wait"),
                of(
                        "nor before anything is announced",
                        aMove().announced().truthAge(2).fault(UNREACHABLE, true, 2, 9),
                        "Blocked: wait"));
    }

    static List<Saying> ends() {
        return List.of(
                of(
                        "an end that the rows deny is none",
                        aMove().stage(Stage.ABORTED).abortWanted(),
                        "Aborting: ABORT [3, 17]"),
                of(
                        "also of a part that is fenced",
                        aMove().fenced(3).aborted(17).stage(Stage.ABORTED).abortWanted(),
                        "Aborting: ABORT [3, 17]"),
                of(
                        "nor one with a fault after it",
                        aMove().aborted(3).aborted(17).stage(Stage.ABORTED).fault(UNREACHABLE, true, 9),
                        "Aborting: ABORT [3, 17]"),
                of(
                        "a phase that comes after all decisions tells a new leader",
                        halfMoved().stored(MovePhase.PUBLISHING),
                        "Publishing: PUBLISH_TO_WORKERS [3]"),
                of(
                        "a phase that comes before does not",
                        halfMoved().stored(MovePhase.READY),
                        "Switching: PUBLISH_TO_WORKERS [3]"),
                of("the way back is closed in its time", undone().backFault(UNREACHABLE, true, 1), "Aborting: wait"),
                of("and tried to be, again", undone().backFault(UNREACHABLE, true, 2), "Aborting: DISMISS [3, 17]"),
                of("and awaited", undone().backRunning(MoveStep.DISMISS), "Aborting: wait"));
    }

    static List<Saying> streams() {
        return List.of(
                of(
                        "a stream that another mover ended goes on in a pause",
                        paused(aMove().stage(Stage.CATCHING_UP).fault(SUPERSEDED, true, 5)),
                        "Paused: wait, aside PREPARE [3, 17]"),
                of(
                        "one that lost its position does not",
                        paused(aMove().stage(Stage.CATCHING_UP).fault(POSITION_LOST, true, 5)),
                        "Paused: wait"),
                of(
                        "the stream of the way there ends once",
                        aSoakingMove(Duration.ZERO).stage(Stage.VERIFIED).running(MoveStep.RETIRE),
                        "Reversible: wait"),
                of("a pause after a drain is over", aMove().failedDrains(3, 5), "Switching: SWITCH [3]"));
    }

    private static Sight aborting() {
        return aMove().stored(MovePhase.ABORTING).abortWanted();
    }

    private static Sight halfMoved() {
        return aMove().fresh().activated(3).ownedBySourceAlone(17).announced(3);
    }

    private static Sight undone() {
        return aMove().aborted(3).aborted(17).stage(Stage.ABORTED).announced();
    }

    private static Sight paused(Sight sight) {
        return sight.wanted(Intent.PAUSE);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void decides(Saying saying) {
        saying.holds();
    }

    @Test
    void aFailureSaysWhatWasSeenAndWhatToDo() {
        assertThat(aNewMove()
                        .stored(MovePhase.VALIDATING)
                        .fault(VALIDATION, false, 0)
                        .plan()
                        .reason())
                .isEqualTo("saw VALIDATION: do something");
    }

    @Test
    void anEndSaysWhoOwnsTheBuckets() {
        Sight nothingBack = aWayBack().stored(MovePhase.ABORTING).stage(Stage.ABORTED);

        assertThat(undone().back(Stage.ABORTED).abortWanted().plan().reason())
                .isEqualTo("aborted; the source owns all buckets, nothing is left over");
        assertThat(nothingBack.aborted(3).aborted(17).folded(3, 17).plan().reason())
                .isEqualTo("decided against; there was nothing to take back, nothing is left over");
    }

    @Test
    void aSoakSaysWhetherItCanBeTakenBack() {
        assertThat(aSoakingMove(Duration.ZERO).plan().reason())
                .isEqualTo("everything is switched and published, and can be taken back");
        assertThat(aSoakingMove(Duration.ZERO).back(Stage.ABORTED).plan().reason())
                .isEqualTo("the rows on ds-0 are kept, but the move cannot be reversed: the way back was lost");
    }

    @Test
    void theNextTryOfTheWayBackIsAwaitedAndNotAskedForWhileItRuns() {
        Sight waits = aMove().announced().back(Stage.NONE).backFault(UNREACHABLE, true, 0);
        assertThat(((MoveDecision.Wait) waits.plan()).until()).contains(Sight.NOW.plusSeconds(2));

        MoveDecision tries = waits.backRetrying(MoveStep.FOLLOW).plan();
        assertThat(((MoveDecision.Wait) tries).until()).isEmpty();
        assertThat(tries.reason()).isEqualTo("the way back: saw UNREACHABLE");
    }
}
