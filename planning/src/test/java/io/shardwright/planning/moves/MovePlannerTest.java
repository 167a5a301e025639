package io.shardwright.planning.moves;

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

/** What the planner says, case by case; each row is one sentence. */
class MovePlannerTest {
    record Case(String name, Sight sight, String expected) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                        entry(),
                        entryFurther(),
                        filling(),
                        fillingFurther(),
                        switching(),
                        switchingFurther(),
                        aborting(),
                        abortingFurther(),
                        twoOwnersOfABucket(),
                        whatMustNotBe(),
                        forcedReclaim(),
                        forcedReclaimFurther(),
                        publishing(),
                        cleaningUp())
                .flatMap(List::stream);
    }

    static List<Case> entry() {
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

    static List<Case> entryFurther() {
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

    static List<Case> filling() {
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

    static List<Case> fillingFurther() {
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

    static List<Case> switching() {
        return List.of(
                of("announces", aMove().announced(), "Ready: ANNOUNCE [3, 17]"),
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

    static List<Case> switchingFurther() {
        return List.of(
                of("backs off after a drain", aMove().failedDrains(3, 3), "Ready: wait"),
                of("tries again after the pause", aMove().failedDrains(3, 4), "Switching: SWITCH [3]"),
                of("asks for help after ten", aMove().failedDrains(10, 59), "Blocked: wait"),
                of("and goes on trying", aMove().failedDrains(10, 60), "Switching: SWITCH [3]"),
                of("a new leader finishes the switch", aMove().fenced(3).fresh(), "Switching: SWITCH [3]"),
                of("even when suspended", aMove().fenced(3).suspended(), "Switching: SWITCH [3]"));
    }

    static List<Case> aborting() {
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

    static List<Case> abortingFurther() {
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

    private static Sight twoOwners() {
        return aMove().pair(3, FenceState.OWNED, 7, FenceState.OWNED, 8);
    }

    static List<Case> twoOwnersOfABucket() {
        return List.of(
                of("two owners", twoOwners(), "Blocked: wait, aside DEMOTE [3]"),
                of(
                        "two owners of which one cannot be told",
                        twoOwners().pair(17, FenceState.OWNED, 8, FenceState.OWNED, 8),
                        "Blocked: wait, aside DEMOTE [3]"),
                of(
                        "two owners of which none can be told",
                        aMove().pair(3, FenceState.OWNED, 8, FenceState.OWNED, 8),
                        "Blocked: wait"),
                of("two owners on old news", twoOwners().truthAge(5), "Blocked: wait, aside OBSERVE [3, 17]"),
                of(
                        "two owners, one of whom does not answer now",
                        twoOwners().unseenSince(6).fault(MoveFault.Kind.UNREACHABLE, true, 1),
                        "Blocked: wait"),
                of(
                        "two owners while another step runs",
                        twoOwners().running(MoveStep.VERIFY),
                        "Blocked: wait, aside DEMOTE [3]"),
                of("two owners while one is being closed", twoOwners().running(MoveStep.DEMOTE), "Blocked: wait"),
                of(
                        "two owners that writers did not leave",
                        twoOwners().fault(MoveFault.Kind.TWO_OWNERS, true, 1),
                        "Blocked: wait"),
                of(
                        "two owners after something else has failed",
                        twoOwners().fault(MoveFault.Kind.SCHEMA_CHANGED, true, 0),
                        "Blocked: wait, aside DEMOTE [3]"),
                of(
                        "and again after two seconds",
                        twoOwners().fault(MoveFault.Kind.TWO_OWNERS, true, 2),
                        "Blocked: wait, aside DEMOTE [3]"),
                of(
                        "two owners although the move is paused",
                        twoOwners().wanted(MoveObservation.Intent.PAUSE),
                        "Blocked: wait, aside DEMOTE [3]"),
                of(
                        "two owners after the cleanup began",
                        aFoldedMove()
                                .pair(3, FenceState.OWNED, 7, FenceState.OWNED, 8)
                                .pastNoReturn(),
                        "Blocked: wait, aside DEMOTE [3]"),
                of(
                        "two owners that writers did not leave, and a bucket that nobody owns",
                        twoOwners().fenced(17).fault(MoveFault.Kind.TWO_OWNERS, true, 1),
                        "Switching: SWITCH [17]"));
    }

    static List<Case> whatMustNotBe() {
        return List.of(
                of(
                        "an owner that was closed, and a bucket that nobody owns",
                        aMove().activated(3).demoted(3, "ds-0").fenced(17),
                        "Switching: SWITCH [17]"),
                of("an owner that was closed", aFoldedMove().demoted(3, "ds-0"), "Blocked: wait"),
                of(
                        "an owner that was closed, and an abort",
                        aMove().activated(3).demoted(3, "ds-0").abortWanted(),
                        "Blocked: wait"),
                of(
                        "rows that no step leaves",
                        aMove().pair(3, FenceState.MOVED, 9, FenceState.IMPORTING, 7)
                                .abortWanted(),
                        "Blocked: wait"),
                of(
                        "an owner lost after the cleanup began",
                        aFoldedMove().fenced(3).stored(MovePhase.BLOCKED).pastNoReturn(),
                        "Blocked: wait"),
                of(
                        "buckets that were taken back after the cleanup began",
                        aFoldedMove().takenBack(3).pastNoReturn(),
                        "Blocked: wait"));
    }

    private static Sight fencedAndSilent(int age) {
        return aMove().fenced(3)
                .stored(MovePhase.SWITCHING)
                .unseenSince(20)
                .fault(MoveFault.Kind.UNREACHABLE, true, age);
    }

    private static Sight unreadAndSilent() {
        return aMove().unreadable().stored(MovePhase.BLOCKED).fault(MoveFault.Kind.UNREACHABLE, true, 0);
    }

    static List<Case> forcedReclaim() {
        return List.of(
                of("a lost target is waited for", fencedAndSilent(0), "Switching: wait"),
                of(
                        "it is given up when a person says so of this move",
                        fencedAndSilent(0).forcedReclaim(Sight.MOVE),
                        "Aborting: RECLAIM [3]"),
                of("and not of another", fencedAndSilent(0).forcedReclaim(Sight.REVERSAL), "Switching: wait"),
                of("it has to be silent now", fencedAndSilent(5).forcedReclaim(Sight.MOVE), "Switching: SWITCH [3]"),
                of(
                        "one that answers is not given up",
                        aMove().fenced(3).forcedReclaim(Sight.MOVE),
                        "Switching: SWITCH [3]"),
                of(
                        "an abort that cannot be decided is",
                        fencedAndSilent(0)
                                .stored(MovePhase.ABORTING)
                                .abortWanted()
                                .forcedReclaim(Sight.MOVE),
                        "Aborting: RECLAIM [3]"),
                of(
                        "nothing is when nothing is fenced",
                        aMove().unseenSince(20)
                                .fault(MoveFault.Kind.UNREACHABLE, true, 0)
                                .forcedReclaim(Sight.MOVE),
                        "Blocked: wait"));
    }

    static List<Case> forcedReclaimFurther() {
        return List.of(
                of(
                        "a new leader knows of the announcement",
                        unreadAndSilent().forcedReclaim(Sight.MOVE),
                        "Aborting: RECLAIM [3, 17]"),
                of(
                        "and spares what routers were led to",
                        unreadAndSilent().visibleToWorkers(3).forcedReclaim(Sight.MOVE),
                        "Aborting: RECLAIM [17]"),
                of(
                        "not after the cleanup has begun",
                        unreadAndSilent().pastNoReturn().forcedReclaim(Sight.MOVE),
                        "Blocked: wait"),
                of(
                        "then the target is looked for",
                        fencedAndSilent(1)
                                .fault(MoveFault.Kind.RECLAIMED, true, 1)
                                .reclaimedByForce(),
                        "Blocked: wait"),
                of(
                        "again and again",
                        fencedAndSilent(1)
                                .fault(MoveFault.Kind.RECLAIMED, true, 6)
                                .reclaimedByForce(),
                        "Blocked: wait, aside OBSERVE [3, 17]"),
                of(
                        "until it answers",
                        aMove().pair(3, FenceState.OWNED, 9, FenceState.IMPORTING, 7)
                                .fault(MoveFault.Kind.RECLAIMED, true, 6),
                        "Aborting: ABORT [3, 17]"));
    }

    static List<Case> publishing() {
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

    static List<Case> cleaningUp() {
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
    void decides(Case example) {
        assertThat(example.sight().says()).isEqualTo(example.expected());
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

    private static Case of(String name, Sight sight, String expected) {
        return new Case(name, sight, expected);
    }
}
