package io.shardwright.planning.moves;

import static io.shardwright.planning.moves.MoveFault.Kind.DIVERGED;
import static io.shardwright.planning.moves.MoveFault.Kind.POSITION_LOST;
import static io.shardwright.planning.moves.MoveFault.Kind.SCHEMA_CHANGED;
import static io.shardwright.planning.moves.MoveFault.Kind.SOURCE_READ_ONLY;
import static io.shardwright.planning.moves.MoveFault.Kind.UNREACHABLE;
import static io.shardwright.planning.moves.Saying.of;
import static io.shardwright.planning.moves.Sight.OPEN;
import static io.shardwright.planning.moves.Sight.aWayBack;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.moves.MoveObservation.Stage;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The way back is planned as a move from ds-4 to ds-0 that finds its rows and its stream there. */
class WayBackLegTest {
    static Stream<Saying> cases() {
        return Stream.of(beginning(), switching(), givingUp(), ending()).flatMap(List::stream);
    }

    static List<Saying> beginning() {
        return List.of(
                of("begins with its first write", aWayBack(), "Preparing: PREPARE [3, 17]"),
                of("after a comparison too", aWayBack().stage(Stage.COMPARED), "Preparing: PREPARE [3, 17]"),
                of("waits for a comparison that runs", aWayBack().running(MoveStep.VERIFY), "Verifying: wait"),
                of("also as a new leader", aWayBack().fresh(), "Preparing: PREPARE [3, 17]"),
                of("looks first", aWayBack().unreadable(), "Pending: OBSERVE [3, 17]"),
                of("resumes", begun().fresh(), "CatchingUp: PREPARE [3, 17]"),
                of("verifies", begun().stage(Stage.IN_SYNC), "Verifying: VERIFY [3, 17]"),
                of(
                        "asks no shard anew whether it is fit",
                        begun().fault(SCHEMA_CHANGED, true, 60),
                        "Preparing: PREPARE [3, 17]"),
                of("a difference blocks", begun().fault(DIVERGED, true, 1), "Blocked: wait"),
                of(
                        "and is looked for again however often it was found",
                        begun().fault(DIVERGED, true, 60, 9),
                        "Preparing: PREPARE [3, 17]"));
    }

    static List<Saying> switching() {
        return List.of(
                of("opens no way back of its own", verified(), "Ready: ANNOUNCE [3, 17]"),
                of("switches", verified().announced(3, 17), "Switching: SWITCH [3]"),
                of("waits for another switch", verified().announced(3, 17).anotherSwitches(), "Ready: wait"),
                of("finishes a switch", begun().fencedBack(3).fresh(), "Switching: SWITCH [3]"),
                of("publishes", begun().takenBack(3).takenBack(17), "Publishing: PUBLISH_TO_WORKERS [3, 17]"),
                of(
                        "a bucket that never went there is none of its matter",
                        aWayBack().aborted(17),
                        "Preparing: PREPARE [3, 17]"),
                of(
                        "nor is it waited for",
                        aWayBack().takenBack(3).aborted(17).folded(3, 17).foldedAcks(OPEN, 60),
                        "CleaningUp: CLEAN_UP [3, 17]"));
    }

    static List<Saying> givingUp() {
        return List.of(
                of("closes its stream when it has not begun", aWayBack().abortWanted(), "Aborting: ABORT [3, 17]"),
                of("does not end without", aWayBack().unreadable().abortWanted(), "Pending: OBSERVE [3, 17]"),
                of("decides against it", begun().abortWanted(), "Aborting: ABORT [3, 17]"),
                of("after its fence too", begun().fencedBack(3).abortWanted(), "Aborting: ABORT [3, 17]"),
                of("a lost position ends it", begun().fault(POSITION_LOST, false, 0), "Aborting: ABORT [3, 17]"),
                of(
                        "a difference that ended the stream ends it, and copies nothing",
                        begun().fault(DIVERGED, false, 0),
                        "Aborting: ABORT [3, 17]"),
                of("also before it has begun", aWayBack().fault(POSITION_LOST, false, 0), "Aborting: ABORT [3, 17]"),
                of("an unreachable shard does not", begun().fault(UNREACHABLE, true, 1), "Blocked: wait"),
                of("finishes it", begun().givenUp(3), "Aborting: ABORT [3, 17]"),
                of(
                        "what the way there left without an owner is not put off for a minute",
                        begun().fenced(3).stored(MovePhase.ABORTING).fault(SOURCE_READ_ONLY, true, 3, 9),
                        "Aborting: ABORT [3, 17]"),
                of(
                        "gives way to a bucket that nobody owns before the way there has ended its switch",
                        aWayBack().fenced(3),
                        "Aborting: ABORT [3, 17]"),
                of("also for those that are kept", begun().kept(3), "Aborting: ABORT [3, 17]"),
                of("withdraws", gaveUp().kept(3).kept(17).announced(3, 17), "Aborting: WITHDRAW [3, 17]"),
                of("ends", gaveUp().kept(3).kept(17), "Failed: done"),
                of("ends aborted", gaveUp().kept(3).kept(17).abortWanted(), "Aborted: done"),
                of("ends without having begun", gaveUp().abortWanted(), "Aborted: done"),
                of(
                        "ends with nothing to take back",
                        gaveUp().aborted(3).aborted(17).folded(3, 17),
                        "Failed: done"),
                of("having closed its stream", aWayBack().aborted(3).aborted(17), "Aborting: ABORT [3, 17]"));
    }

    static List<Saying> ending() {
        return List.of(
                of("knows no soak", published(), "CleaningUp: CLEAN_UP [3, 17]"),
                of("waits for everybody", published().foldedAcks(OPEN, 59), "Publishing: wait"),
                of("succeeds", published().stage(Stage.CLEANED_UP), "Succeeded: done"),
                of(
                        "publishes what it took back before it gave up",
                        gaveUp().takenBack(3).kept(17),
                        "Publishing: PUBLISH_TO_WORKERS [3]"),
                of("also where the rest had not begun", gaveUp().takenBack(3), "Publishing: PUBLISH_TO_WORKERS [3]"),
                of("and cleans it up", cutShort().foldedAcks(OPEN, 60), "CleaningUp: CLEAN_UP [3, 17]"),
                of("whoever leads", cutShort().pastNoReturn().fresh(), "CleaningUp: CLEAN_UP [3, 17]"));
    }

    private static Sight begun() {
        return aWayBack().stored(MovePhase.READY).reversing(3).reversing(17);
    }

    private static Sight verified() {
        return begun().stage(Stage.VERIFIED);
    }

    private static Sight gaveUp() {
        return aWayBack().stored(MovePhase.ABORTING).stage(Stage.ABORTED);
    }

    private static Sight published() {
        return begun().takenBack(3).takenBack(17).stored(MovePhase.PUBLISHING).folded(3, 17);
    }

    private static Sight cutShort() {
        return gaveUp().stored(MovePhase.PUBLISHING).takenBack(3).kept(17).folded(3);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void decides(Saying saying) {
        saying.holds();
    }

    @Test
    void anEndSaysWhoseBucketsTheyAre() {
        assertThat(gaveUp().kept(3).kept(17).plan().reason())
                .isEqualTo("decided against; ds-4 owns all buckets, nothing is left over");
        assertThat(gaveUp().kept(3).aborted(17).plan().reason())
                .isEqualTo("decided against; ds-4 owns buckets [3], nothing is left over");
        assertThat(published().stage(Stage.CLEANED_UP).plan().reason()).isEqualTo("ds-0 owns buckets [3, 17]");
    }
}
