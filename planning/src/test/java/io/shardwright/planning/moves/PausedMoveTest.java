package io.shardwright.planning.moves;

import static io.shardwright.planning.moves.MoveFault.Kind.POSITION_LOST;
import static io.shardwright.planning.moves.MoveFault.Kind.SCHEMA_CHANGED;
import static io.shardwright.planning.moves.MoveFault.Kind.UNREACHABLE;
import static io.shardwright.planning.moves.MoveFault.Kind.VALIDATION;
import static io.shardwright.planning.moves.Saying.of;
import static io.shardwright.planning.moves.Sight.aFoldedMove;
import static io.shardwright.planning.moves.Sight.aMove;
import static io.shardwright.planning.moves.Sight.aNewMove;
import static io.shardwright.planning.moves.Sight.aSoakingMove;
import static io.shardwright.planning.moves.Sight.aWayBack;

import io.shardwright.planning.moves.MoveObservation.Intent;
import io.shardwright.planning.moves.MoveObservation.Stage;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A pause begins nothing, finishes what has begun, keeps the streams going, and is never taken for "nothing was written". */
class PausedMoveTest {
    static Stream<Saying> cases() {
        return Stream.of(pausing(), finishing(), streams(), lettingGo(), afterwards())
                .flatMap(List::stream);
    }

    static List<Saying> pausing() {
        return List.of(
                of("before it begins it stays Pending", paused(aNewMove()), "Pending: wait"),
                of(
                        "and Validating",
                        paused(aNewMove().stored(MovePhase.VALIDATING).stage(Stage.VALIDATED)),
                        "Validating: wait"),
                of("after a write it is Paused", paused(aMove().stage(Stage.IN_SYNC)), "Paused: wait"),
                of("also when a status was lost", paused(aMove().stored(MovePhase.PENDING)), "Paused: wait"),
                of(
                        "a copy that runs is ended",
                        paused(aMove().stage(Stage.COPYING).running(MoveStep.PREPARE)),
                        "Paused: wait"),
                of("nothing is switched", paused(aMove()), "Paused: wait"),
                of(
                        "the fence rows are read again beside a fault that nobody tries to get past",
                        paused(aMove().fault(VALIDATION, true, 60).truthAge(30)),
                        "Paused: wait, aside OBSERVE [3, 17]"),
                of("no second group", paused(halfMoved().visibleToWorkers(3).visibleToWeb(3)), "Paused: wait"),
                of("a soak", paused(aSoakingMove(Duration.ZERO)), "Paused: wait"),
                of("nothing is deleted", paused(aFoldedMove()), "Paused: wait"),
                of("nor further", paused(aFoldedMove().pastNoReturn().back(Stage.ABORTED)), "Paused: wait"),
                of("a reversal does not begin", paused(aWayBack()), "Pending: wait"),
                of("nor go on", paused(aWayBack().reversing(3)), "Paused: wait"),
                of("also in a suspended cluster", paused(aMove().suspended()), "Paused: wait"));
    }

    static List<Saying> finishing() {
        return List.of(
                of("a fenced bucket is activated", paused(aMove().fenced(3)), "Switching: SWITCH [3]"),
                of("what has moved is published", paused(halfMoved()), "Switching: PUBLISH_TO_WORKERS [3]"),
                of(
                        "an abort is finished",
                        paused(aMove().aborted(3).stored(MovePhase.ABORTING)),
                        "Aborting: ABORT [3, 17]"),
                of("a switch is not disturbed", paused(aMove().running(MoveStep.SWITCH)), "Switching: wait"),
                of(
                        "a cleanup that runs goes on",
                        paused(aFoldedMove().running(MoveStep.CLEAN_UP)),
                        "CleaningUp: wait"));
    }

    static List<Saying> streams() {
        return List.of(
                of(
                        "a new leader goes on with the stream",
                        paused(aMove().fresh()),
                        "Paused: wait, aside PREPARE [3, 17]"),
                of("but copies nothing", paused(aMove().fresh().notResumable()), "Paused: wait"),
                of(
                        "a stream that ended goes on",
                        paused(aMove().stage(Stage.CATCHING_UP).fault(UNREACHABLE, true, 2)),
                        "Paused: wait, aside PREPARE [3, 17]"),
                of(
                        "one that runs is left alone whatever failed beside it",
                        paused(aMove().fault(UNREACHABLE, true, 2)),
                        "Paused: wait"),
                of(
                        "a suspended cluster keeps the streams going, too",
                        aMove().fresh().suspended(),
                        "Ready: wait, aside PREPARE [3, 17]"),
                of("but copies nothing either", aMove().fresh().notResumable().suspended(), "Ready: wait"),
                of("and the way back", aMove().back(Stage.NONE).suspended(), "Ready: aside FOLLOW [3, 17]"),
                of("a lost position waits", paused(aMove().fault(POSITION_LOST, true, 2)), "Paused: wait"),
                of(
                        "the way back goes on, too",
                        paused(aMove().stored(MovePhase.PAUSED).back(Stage.NONE)),
                        "Paused: aside FOLLOW [3, 17]"),
                of("when it had begun", paused(aMove().announced().back(Stage.NONE)), "Paused: wait"));
    }

    static List<Saying> lettingGo() {
        return List.of(
                of(
                        "a way back that is lost keeps no log in a pause",
                        paused(aSoakingMove(Duration.ZERO)
                                .stored(MovePhase.PAUSED)
                                .backFault(POSITION_LOST, false, 1)),
                        "Paused: DISMISS [3, 17]"),
                of(
                        "nor of a half-moved set",
                        paused(toldOf3().stored(MovePhase.PAUSED).backFault(POSITION_LOST, false, 1)),
                        "Paused: DISMISS [3, 17]"),
                of(
                        "nor in a suspended cluster",
                        aSoakingMove(Duration.ZERO)
                                .backFault(POSITION_LOST, false, 1)
                                .suspended(),
                        "Reversible: DISMISS [3, 17]"),
                of(
                        "nor past the point of no return",
                        paused(aFoldedMove()
                                .stored(MovePhase.PAUSED)
                                .pastNoReturn()
                                .back(Stage.NONE)),
                        "Paused: DISMISS [3, 17]"));
    }

    static List<Saying> afterwards() {
        return List.of(
                of("Run goes on", aMove().stored(MovePhase.PAUSED), "Switching: SWITCH [3]"),
                of(
                        "a new look does not say that nothing was written",
                        aMove().stored(MovePhase.PAUSED).fault(SCHEMA_CHANGED, true, 60),
                        "Preparing: VALIDATE [3, 17]"),
                of(
                        "an abort is one, also with unread shards",
                        aMove().stored(MovePhase.PAUSED).unreadable().abortWanted(),
                        "Paused: aside OBSERVE [3, 17]"),
                of(
                        "and with no row at all",
                        aNewMove().stored(MovePhase.PAUSED).abortWanted(),
                        "Aborting: ABORT [3, 17]"),
                of(
                        "an incurable fault is undone",
                        aNewMove().stored(MovePhase.PAUSED).fault(SCHEMA_CHANGED, false, 0),
                        "Aborting: ABORT [3, 17]"),
                of(
                        "a suspended cluster is no pause",
                        aMove().stored(MovePhase.PAUSED).suspended(),
                        "Blocked: wait"),
                of(
                        "a part that was undone is looked at again",
                        aSoakingMove(Duration.ZERO)
                                .aborted(17)
                                .folded(3)
                                .stored(MovePhase.PAUSED)
                                .stage(Stage.NONE),
                        "Aborting: ABORT [3, 17]"));
    }

    private static Sight paused(Sight sight) {
        return sight.wanted(Intent.PAUSE);
    }

    private static Sight toldOf3() {
        return halfMoved().visibleToWorkers(3).visibleToWeb(3);
    }

    private static Sight halfMoved() {
        return aMove().activated(3);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void decides(Saying saying) {
        saying.holds();
    }
}
