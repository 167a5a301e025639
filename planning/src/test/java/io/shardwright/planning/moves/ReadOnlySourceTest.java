package io.shardwright.planning.moves;

import static io.shardwright.planning.moves.MoveFault.Kind.OTHER;
import static io.shardwright.planning.moves.MoveFault.Kind.POSITION_LOST;
import static io.shardwright.planning.moves.MoveFault.Kind.SOURCE_READ_ONLY;
import static io.shardwright.planning.moves.Saying.of;
import static io.shardwright.planning.moves.Sight.aMove;
import static io.shardwright.planning.moves.Sight.aWayBack;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.moves.MoveObservation.Intent;
import io.shardwright.routing.FenceState;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A source that takes no writes: it can neither take its fenced buckets back nor let the stream go on, but it can be read. */
class ReadOnlySourceTest {
    static Stream<Saying> cases() {
        return Stream.of(copied(), kept(), elsewhere()).flatMap(List::stream);
    }

    private static Sight readOnly() {
        return aMove().fenced(3).stored(MovePhase.SWITCHING).fault(SOURCE_READ_ONLY, true, 0);
    }

    static List<Saying> copied() {
        return List.of(
                of("what is fenced is copied to the target", readOnly(), "Switching: RESYNC [3]"),
                of("all of it at once", readOnly().fenced(17), "Switching: RESYNC [3, 17]"),
                of("whether or not the log is there", readOnly().notResumable(), "Switching: RESYNC [3]"),
                of(
                        "also when an abort has begun that nobody wants",
                        readOnly().stored(MovePhase.ABORTING),
                        "Switching: RESYNC [3]"),
                of(
                        "also when other buckets were decided against",
                        readOnly().pair(17, FenceState.MOVED, 8, FenceState.ABORTED, 7),
                        "Switching: RESYNC [3]"),
                of("also in a pause", readOnly().wanted(Intent.PAUSE), "Switching: RESYNC [3]"),
                of("on fresh rows", readOnly().truthAge(30), "Switching: aside OBSERVE [3, 17]"),
                of("the copy is awaited", readOnly().retrying(MoveStep.RESYNC), "Switching: wait"),
                of(
                        "and what ended it is found out by the ordinary way",
                        aMove().fenced(3).notResumable().fault(OTHER, true, 1),
                        "Switching: SWITCH [3]"),
                of(
                        "what it has brought is published",
                        aMove().activated(3).stored(MovePhase.SWITCHING).fault(SOURCE_READ_ONLY, true, 0),
                        "Switching: PUBLISH_TO_WORKERS [3]"));
    }

    static List<Saying> kept() {
        return List.of(
                of(
                        "who wants an abort is obeyed",
                        readOnly().stored(MovePhase.ABORTING).abortWanted(),
                        "Aborting: wait"),
                of(
                        "also while it is copied",
                        readOnly().retrying(MoveStep.RESYNC).abortWanted(),
                        "Aborting: ABORT [3, 17]"),
                of("or a reversal", readOnly().stored(MovePhase.ABORTING).wanted(Intent.REVERSE), "Aborting: wait"),
                of(
                        "the source is asked again",
                        aMove().fenced(3)
                                .stored(MovePhase.ABORTING)
                                .abortWanted()
                                .fault(SOURCE_READ_ONLY, true, 2),
                        "Aborting: ABORT [3, 17]"),
                of(
                        "what was decided against waits for the source",
                        aMove().pair(3, FenceState.MOVED, 8, FenceState.ABORTED, 7)
                                .stored(MovePhase.ABORTING)
                                .fault(SOURCE_READ_ONLY, true, 0),
                        "Aborting: wait"),
                of(
                        "what routers are led to was lost by the target",
                        readOnly().visibleToWorkers(3),
                        "Aborting: ABORT [3, 17]"));
    }

    static List<Saying> elsewhere() {
        return List.of(
                of(
                        "a source that only cannot be streamed from takes its buckets back",
                        aMove().fenced(3).notResumable().fault(POSITION_LOST, true, 0),
                        "Aborting: ABORT [3, 17]"),
                of(
                        "nothing is copied where nothing is fenced",
                        aMove().fault(SOURCE_READ_ONLY, true, 0),
                        "Blocked: wait"),
                of(
                        "a way back has no copy",
                        aWayBack().fencedBack(3).stored(MovePhase.SWITCHING).fault(SOURCE_READ_ONLY, true, 0),
                        "Switching: wait"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void decides(Saying saying) {
        saying.holds();
    }

    @Test
    void whoAbortsIsToldWhatItCostsAndWhatElseCanBeDone() {
        assertThat(advice(readOnly().stored(MovePhase.ABORTING).abortWanted()))
                .contains("let ds-0 take writes again", "takes buckets [3] back", "nobody can write until then")
                .contains("set spec.intent to Run: then buckets [3] are copied to ds-4");
    }

    @Test
    void whereItIsDecidedThereIsNoChoice() {
        assertThat(advice(aMove().pair(3, FenceState.MOVED, 8, FenceState.ABORTED, 7)
                        .stored(MovePhase.ABORTING)
                        .abortWanted()
                        .fault(SOURCE_READ_ONLY, true, 0)))
                .contains("let ds-0 take writes again", "takes buckets [3] back")
                .doesNotContain("spec.intent");
    }

    @Test
    void whileItIsCopiedItIsSaidWhoCanWriteWhen() {
        assertThat(advice(readOnly().retrying(MoveStep.RESYNC)))
                .contains("nobody can write buckets [3] before ds-4 has their rows", "If ds-0 takes writes again");
    }

    private static String advice(Sight sight) {
        return ((MoveDecision.Wait) sight.plan()).advice().orElseThrow();
    }
}
