package io.shardwright.planning.moves;

import static io.shardwright.planning.moves.Saying.of;
import static io.shardwright.planning.moves.Sight.OPEN;
import static io.shardwright.planning.moves.Sight.SHUT;
import static io.shardwright.planning.moves.Sight.aFoldedMove;
import static io.shardwright.planning.moves.Sight.aMove;
import static io.shardwright.planning.moves.Sight.aNewMove;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.moves.MoveObservation.Stage;
import io.shardwright.routing.FenceState;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the planner says of a move on its way, step by step; {@link MoveOwnersTest} has what needs a person. */
class MovePlannerTest {
    static Stream<Saying> cases() {
        return Stream.of(
                        entry(),
                        entryFurther(),
                        filling(),
                        fillingFurther(),
                        switching(),
                        switchingFurther(),
                        aborting(),
                        abortingFurther(),
                        publishing(),
                        cleaningUp())
                .flatMap(List::stream);
    }

    static List<Saying> entry() {
        return List.of(
                of("what has ended stays", aMove().stored(MovePhase.ABORTED), "Aborted: done"),
                of("a refused move waits", aNewMove().unreadable().refused("no cluster orders"), "Pending: wait"),
                of("a queued move waits", aNewMove().unreadable().queuedBehind("first"), "Pending: wait"),
                of(
                        "a queued move that has begun goes on",
                        aMove().stored(MovePhase.PENDING).queuedBehind("first"),
                        "Switching: SWITCH [3]"),
                of("an admitted move looks first", aNewMove().unreadable(), "Pending: OBSERVE [3, 17]"),
                of(
                        "an unreadable shard decides nothing",
                        aMove().unreadable().fault(MoveFault.Kind.UNREACHABLE, true, 1),
                        "Blocked: wait"),
                of("not even an abort", aMove().unreadable().abortWanted(), "Ready: aside OBSERVE [3, 17]"),
                of("but an abort before the beginning", aNewMove().unreadable().abortWanted(), "Aborted: done"),
                of("a wrong source fails", aNewMove().notOwner(3), "Failed: done"));
    }

    static List<Saying> entryFurther() {
        return List.of(
                of("a first look that runs", aNewMove().unreadable().running(MoveStep.OBSERVE), "Pending: wait"),
                of("a look of a new leader that runs", aMove().unreadable().running(MoveStep.OBSERVE), "Ready: aside"),
                of(
                        "an unreadable shard before the beginning",
                        aNewMove().unreadable().fault(MoveFault.Kind.UNREACHABLE, true, 1),
                        "Pending: wait"),
                of("a queued move that was looked at", aNewMove().queuedBehind("first"), "Pending: wait"),
                of("an abort when the rows show no trace", aNewMove().abortWanted(), "Aborted: done"),
                of(
                        "an abort when a trace is being made",
                        aNewMove()
                                .stored(MovePhase.VALIDATING)
                                .running(MoveStep.PREPARE)
                                .abortWanted(),
                        "Aborting: ABORT [3, 17]"),
                of(
                        "an abort when a status was lost",
                        aMove().stored(MovePhase.PENDING).abortWanted(),
                        "Aborting: ABORT [3, 17]"),
                of(
                        "a reversal of what has not moved is an abort",
                        aMove().wanted(MoveObservation.Intent.REVERSE),
                        "Aborting: ABORT [3, 17]"),
                of("a wrong source of a move that has begun", aMove().notOwner(3), "Blocked: wait"),
                of(
                        "a look that failed is repeated before anything is validated",
                        aNewMove().stored(MovePhase.VALIDATING).fault(MoveFault.Kind.UNREACHABLE, true, 2),
                        "Validating: VALIDATE [3, 17]"),
                of(
                        "a held move whose pause is over says that it is held",
                        aMove().stored(MovePhase.PAUSED).suspended(),
                        "Blocked: wait"));
    }

    static List<Saying> filling() {
        return List.of(
                of("validates first", aNewMove(), "Validating: VALIDATE [3, 17]"),
                of(
                        "then prepares",
                        aNewMove().stored(MovePhase.VALIDATING).stage(Stage.VALIDATED),
                        "Preparing: PREPARE [3, 17]"),
                of("shows the copy", aMove().stage(Stage.COPYING).running(MoveStep.PREPARE), "Copying: wait"),
                of(
                        "a fill that stopped on its way, and whose fault is forgotten, goes on",
                        aMove().stage(Stage.CATCHING_UP),
                        "CatchingUp: PREPARE [3, 17]"),
                of("verifies when in sync", aMove().stage(Stage.IN_SYNC), "Verifying: VERIFY [3, 17]"),
                of("a new mover resumes", aMove().fresh(), "CatchingUp: PREPARE [3, 17]"),
                of("a new mover copies again", aMove().fresh().notResumable(), "Preparing: PREPARE [3, 17]"),
                of(
                        "a lost position is prepared again",
                        aMove().fault(MoveFault.Kind.POSITION_LOST, true, 2),
                        "Preparing: PREPARE [3, 17]"),
                of("a difference blocks", aMove().fault(MoveFault.Kind.DIVERGED, true, 2), "Blocked: wait"),
                of(
                        "a changed schema is looked at again",
                        aMove().fault(MoveFault.Kind.SCHEMA_CHANGED, true, 31),
                        "Ready: VALIDATE [3, 17]"));
    }

    static List<Saying> fillingFurther() {
        return List.of(
                of("a suspended cluster holds", aMove().suspended(), "Ready: wait"),
                of("old truth is read again before a step", aMove().truthAge(30), "Ready: aside OBSERVE [3, 17]"),
                of(
                        "and beside a wait that goes on",
                        aMove().announcedAcks(SHUT).truthAge(30),
                        "Ready: wait, aside OBSERVE [3, 17]"),
                of(
                        "the wait is the same while it is read",
                        aMove().announcedAcks(SHUT).truthAge(30).running(MoveStep.OBSERVE),
                        "Ready: wait"),
                of(
                        "no step is taken while it is read",
                        aMove().truthAge(30).running(MoveStep.OBSERVE),
                        "Ready: aside"));
    }

    static List<Saying> switching() {
        return List.of(
                of("announces", aMove().announced(), "Ready: ANNOUNCE [3, 17]"),
                of("but for what the map says already", aMove().announced().folded(3), "Ready: ANNOUNCE [17]"),
                of("waits for all routers", aMove().announcedAcks(SHUT), "Ready: wait"),
                of("waits for the other switch", aMove().anotherSwitches(), "Ready: wait"),
                of("measures", aMove().unmeasured(), "Ready: GATE [3, 17]"),
                of("measures again when old", aMove().gate(true, 1_000), "Ready: GATE [3, 17]"),
                of("waits at a shut gate", aMove().gate(false, 300), "Ready: wait"),
                of("switches the first group", aMove(), "Switching: SWITCH [3]"),
                of(
                        "then the second",
                        aMove().activated(3).visibleToWorkers(3).visibleToWeb(3),
                        "Switching: SWITCH [17]"),
                of("does not disturb a switch", aMove().running(MoveStep.SWITCH).abortWanted(), "Switching: wait"));
    }

    static List<Saying> switchingFurther() {
        return List.of(
                of("backs off after a drain", aMove().failedDrains(3, 3), "Ready: wait"),
                of("tries again after the pause", aMove().failedDrains(3, 4), "Switching: SWITCH [3]"),
                of("asks for help after ten", aMove().failedDrains(10, 59), "Blocked: wait"),
                of("and goes on trying", aMove().failedDrains(10, 60), "Switching: SWITCH [3]"),
                of("a new leader finishes the switch", aMove().fenced(3).fresh(), "Switching: SWITCH [3]"),
                of("even when suspended", aMove().fenced(3).suspended(), "Switching: SWITCH [3]"));
    }

    static List<Saying> aborting() {
        return List.of(
                of("aborts before the fence", aMove().abortWanted(), "Aborting: ABORT [3, 17]"),
                of("aborts after the fence", aMove().fenced(3).abortWanted(), "Aborting: ABORT [3, 17]"),
                of(
                        "interrupts a copy",
                        aMove().stage(Stage.COPYING).running(MoveStep.PREPARE).abortWanted(),
                        "Aborting: ABORT [3, 17]"),
                of(
                        "the watchdog decides",
                        aMove().fenced(3).fault(MoveFault.Kind.DECIDED_AGAINST, true, 0),
                        "Aborting: ABORT [3, 17]"),
                of(
                        "a lost log after the fence",
                        aMove().fenced(3).fault(MoveFault.Kind.POSITION_LOST, true, 0),
                        "Aborting: ABORT [3, 17]"),
                of(
                        "an unreachable target after the fence is awaited",
                        aMove().fenced(3).fault(MoveFault.Kind.UNREACHABLE, true, 0),
                        "Switching: wait"),
                of(
                        "a published bucket whose activation was lost",
                        aMove().fenced(3).visibleToWorkers(3),
                        "Aborting: ABORT [3, 17]"),
                of("a target that lost IMPORTING", aMove().targetLost(3), "Aborting: ABORT [3, 17]"),
                of(
                        "an abort that runs is awaited",
                        aMove().running(MoveStep.ABORT).abortWanted(),
                        "Aborting: wait"),
                of(
                        "a half-done abort is finished",
                        aMove().pair(3, FenceState.MOVED, 8, FenceState.ABORTED, 7),
                        "Aborting: ABORT [3, 17]"));
    }

    static List<Saying> abortingFurther() {
        return List.of(
                of(
                        "withdraws",
                        aMove().aborted(3).aborted(17).stage(Stage.ABORTED).abortWanted(),
                        "Aborting: WITHDRAW [3, 17]"),
                of(
                        "ends aborted",
                        aMove().aborted(3)
                                .aborted(17)
                                .stage(Stage.ABORTED)
                                .abortWanted()
                                .announced()
                                .back(Stage.ABORTED),
                        "Aborted: done"),
                of(
                        "ends failed when nobody asked for it",
                        aMove().aborted(3)
                                .aborted(17)
                                .stage(Stage.ABORTED)
                                .announced()
                                .back(Stage.ABORTED),
                        "Failed: done"),
                of(
                        "closes the way back before it ends",
                        aMove().aborted(3).aborted(17).stage(Stage.ABORTED).announced(),
                        "Aborting: DISMISS [3, 17]"),
                of(
                        "what has moved is published after an abort",
                        aMove().activated(3)
                                .aborted(17)
                                .stage(Stage.ABORTED)
                                .abortWanted()
                                .announced(3),
                        "Publishing: PUBLISH_TO_WORKERS [3]"),
                of(
                        "an abort of a move that is done is no abort",
                        aFoldedMove().abortWanted().foldedAcks(SHUT, 0),
                        "Reversible: wait"));
    }

    static List<Saying> publishing() {
        return List.of(
                of("workers first", aMove().activated(3).activated(17), "Publishing: PUBLISH_TO_WORKERS [3, 17]"),
                of(
                        "between two groups once per second",
                        aMove().activated(3).sinceTheChange(999),
                        "Switching: SWITCH [17]"),
                of("between two groups", aMove().activated(3), "Switching: PUBLISH_TO_WORKERS [3]"),
                of("waits for workers", published().workerAcks(SHUT), "Publishing: wait"),
                of(
                        "web after ten seconds",
                        published().workerAcks(SHUT).sinceTheChange(10_000),
                        "Publishing: PUBLISH_TO_WEB [3, 17]"),
                of("web when workers know", published(), "Publishing: PUBLISH_TO_WEB [3, 17]"),
                of("folds when all know", published().visibleToWeb(3, 17), "Publishing: FOLD [3, 17]"),
                of("waits for web", published().visibleToWeb(3, 17).webAcks(SHUT), "Publishing: wait"),
                of(
                        "folds after a minute",
                        published().visibleToWeb(3, 17).webAcks(SHUT).sinceTheChange(60_000),
                        "Publishing: FOLD [3, 17]"));
    }

    static List<Saying> cleaningUp() {
        return List.of(
                of("cleanup waits for everybody", aFoldedMove().foldedAcks(SHUT, 0), "Reversible: wait"),
                of("and for a minute", aFoldedMove().foldedAcks(OPEN, 59), "Reversible: wait"),
                of("and reads once more", aFoldedMove().truthAge(5), "Reversible: aside OBSERVE [3, 17]"),
                of("then it closes the way back", aFoldedMove(), "CleaningUp: DISMISS [3, 17]"),
                of("and cleans up", aFoldedMove().pastNoReturn().back(Stage.ABORTED), "CleaningUp: CLEAN_UP [3, 17]"),
                of(
                        "not by truth that has become old meanwhile",
                        aFoldedMove()
                                .stored(MovePhase.CLEANING_UP)
                                .pastNoReturn()
                                .back(Stage.ABORTED)
                                .truthAge(5),
                        "CleaningUp: aside OBSERVE [3, 17]"),
                of("not in a suspended cluster", aFoldedMove().suspended(), "Reversible: wait"),
                of("not beside another command", aFoldedMove().running(MoveStep.RETIRE), "Reversible: wait"),
                of("succeeds", aFoldedMove().stage(Stage.CLEANED_UP), "Succeeded: done"));
    }

    private static Sight published() {
        return aMove().activated(3).activated(17).visibleToWorkers(3, 17);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void decides(Saying saying) {
        saying.holds();
    }

    @Test
    void aSilentRouterIsNamedAsBlocker() {
        MoveDecision.Wait wait = (MoveDecision.Wait) aMove().announcedAcks(SHUT).plan();

        assertThat(wait.blockedBy())
                .containsExactly(new MoveDecision.Blocker(
                        "Router",
                        "orders-web-7 (web)",
                        "silent for over 30 s: delete the pod or wait until it answers"));
        assertThat(wait.until()).contains(Sight.NOW.plusSeconds(5));
    }

    @Test
    void aBoundThatRanOutIsNoConsentAndSaysSo() {
        Sight web = published().visibleToWeb(3, 17);

        assertThat(published().plan().reason()).isEqualTo("all live workers route by it");
        assertThat(published().workerAcks(SHUT).sinceTheChange(10_000).plan().reason())
                .isEqualTo("the handover timeout is over; not all workers answered");
        assertThat(web.plan().reason()).isEqualTo("all live routers route by it");
        assertThat(web.webAcks(SHUT).sinceTheChange(60_000).plan().reason())
                .isEqualTo("60 s are over; not all answered");
    }

    @Test
    void sessionsThatLeaveNoGapAreNamed() {
        MoveDecision.Wait wait =
                (MoveDecision.Wait) aMove().failedDrains(10, 20).plan();

        assertThat(wait.awaited()).contains("pid 4711 user app 'orders-web' 31 s");
        assertThat(wait.until()).contains(Sight.NOW.plusSeconds(40));
    }

    @Test
    void aLongCopyIsNotAskedForAllTheTime() {
        MoveDecision.Wait wait = (MoveDecision.Wait) aMove().stage(Stage.COPYING)
                .running(MoveStep.PREPARE)
                .truthAge(600)
                .plan();

        assertThat(wait.until()).contains(Sight.NOW.plusSeconds(30));
    }

    @Test
    void drainPausesGrowFromOneSecondToOneMinute() {
        assertThat(List.of(1, 2, 3, 4, 5, 6, 7, 10, 40).stream().map(SwitchChecks::pauseAfter))
                .containsExactly(
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(4),
                        Duration.ofSeconds(8),
                        Duration.ofSeconds(16),
                        Duration.ofSeconds(32),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60));
    }

    @Test
    void aMoveThatWasCutShortSaysWhatStays() {
        MoveDecision done =
                aFoldedMove().aborted(17).folded(3).stage(Stage.CLEANED_UP).plan();

        assertThat(done.phase()).isEqualTo(MovePhase.SUCCEEDED);
        assertThat(done.reason()).isEqualTo("ds-4 owns buckets [3]; partially moved: buckets [17] stay on ds-0");
    }
}
