package io.shardwright.planning.moves;

import static io.shardwright.planning.moves.Sight.OPEN;
import static io.shardwright.planning.moves.Sight.SHUT;
import static io.shardwright.planning.moves.Sight.aFoldedMove;
import static io.shardwright.planning.moves.Sight.aMove;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.moves.MoveObservation.GateCause;
import io.shardwright.planning.moves.MoveObservation.Stage;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A move that tries again says what keeps it, in the same words, until a try gets past it. */
class MoveRetryTest {
    private static Optional<MoveDecision.Wait> shown(MoveDecision decision) {
        return switch (decision) {
            case MoveDecision.Wait wait -> Optional.of(wait);
            case MoveDecision.Aside aside -> aside.shown();
            case MoveDecision.Act act -> Optional.empty();
            case MoveDecision.Done done -> Optional.empty();
        };
    }

    private static MoveStep step(MoveDecision decision) {
        return ((MoveDecision.Aside) decision).step().orElseThrow().step();
    }

    private static Sight unreachable(int age) {
        return aMove().stored(MovePhase.BLOCKED).fault(MoveFault.Kind.UNREACHABLE, true, age);
    }

    @Test
    void anUnreachableShardIsOneStatusBeforeAtAndDuringTheNextTry() {
        MoveDecision waits = unreachable(1).plan();
        MoveDecision tries = unreachable(2).plan();
        MoveDecision tried = unreachable(0).retrying(MoveStep.PREPARE).plan();

        assertThat(step(tries)).isEqualTo(MoveStep.PREPARE);
        assertThat(Stream.of(waits, tries, tried).map(one -> shown(one).orElseThrow()))
                .allSatisfy(wait -> {
                    assertThat(wait.phase()).isEqualTo(MovePhase.BLOCKED);
                    assertThat(wait.reason()).isEqualTo("saw UNREACHABLE");
                    assertThat(wait.awaited()).isEqualTo("do something");
                    assertThat(wait.byItself()).isTrue();
                });
    }

    @Test
    void aTryThatRunsIsNotAskedForUntilItEnds() {
        Sight stream = unreachable(60);
        Sight unread = unreachable(60).unreadable();
        Sight differs = aMove().stored(MovePhase.BLOCKED).fault(MoveFault.Kind.DIVERGED, true, 60);
        Sight drains = blockedByWriters(60);

        assertThat(unreachable(1).plan())
                .isInstanceOfSatisfying(
                        MoveDecision.Wait.class,
                        wait -> assertThat(wait.until()).contains(Sight.NOW.plusSeconds(1)));
        assertThat(Stream.of(
                                stream.retrying(MoveStep.PREPARE),
                                unread.retrying(MoveStep.OBSERVE),
                                differs.retrying(MoveStep.PREPARE),
                                drains.running(MoveStep.GATE))
                        .map(Sight::plan))
                .allSatisfy(decision -> assertThat(decision)
                        .isInstanceOfSatisfying(
                                MoveDecision.Wait.class,
                                wait -> assertThat(wait.until()).isEmpty()));
    }

    @Test
    void aShardThatCannotBeReadAtAllIsOneStatusToo() {
        MoveDecision waits = unreachable(1).unreadable().plan();
        MoveDecision tries = unreachable(2).unreadable().plan();
        MoveDecision tried =
                unreachable(0).unreadable().retrying(MoveStep.OBSERVE).plan();

        assertThat(step(tries)).isEqualTo(MoveStep.OBSERVE);
        assertThat(Stream.of(waits, tries, tried))
                .extracting(MoveDecision::phase)
                .containsOnly(MovePhase.BLOCKED);
        assertThat(Stream.of(waits, tries, tried)
                        .map(one -> shown(one).orElseThrow().reason()))
                .containsOnly("saw UNREACHABLE");
    }

    @Test
    void aTryThatGotPastTheFaultShowsItsOwnPhase() {
        MoveDecision copies = aMove().stored(MovePhase.BLOCKED)
                .stage(Stage.COPYING)
                .running(MoveStep.PREPARE)
                .plan();

        assertThat(copies.phase()).isEqualTo(MovePhase.COPYING);
    }

    /** The first deletion may be the one after a fault, and a point of no return that was not stored would be crossed. */
    @Test
    void aCleanupIsAnnouncedByItsOwnPhaseWhateverBlockedTheMoveBefore() {
        Sight afterAFault = aFoldedMove().stored(MovePhase.BLOCKED).fault(MoveFault.Kind.UNREACHABLE, true, 2);
        Sight cutShortByWriters = aFoldedMove()
                .aborted(17)
                .folded(3)
                .stored(MovePhase.BLOCKED)
                .pastNoReturn()
                .back(Stage.ABORTED)
                .failedDrains(10, 60);

        assertThat(Stream.of(afterAFault, cutShortByWriters).map(Sight::says))
                .containsExactly("CleaningUp: DISMISS [3, 17]", "CleaningUp: CLEAN_UP [3, 17]");
    }

    @Test
    void drainsOfBucketsThatStayKeepNobodyBlocked() {
        MoveDecision running = aFoldedMove()
                .aborted(17)
                .folded(3)
                .stored(MovePhase.BLOCKED)
                .foldedAcks(OPEN, 60)
                .failedDrains(10, 60)
                .running(MoveStep.PREPARE)
                .pastNoReturn()
                .plan();

        assertThat(running.phase()).isEqualTo(MovePhase.CLEANING_UP);
    }

    @Test
    void aFencedBucketIsSwitchedUnderItsOwnPhase() {
        MoveDecision decision = unreachable(2).fenced(3).plan();

        assertThat(decision)
                .isInstanceOfSatisfying(
                        MoveDecision.Act.class, act -> assertThat(act.phase()).isEqualTo(MovePhase.SWITCHING));
    }

    @Test
    void pausesDoubleFromTwoSecondsToAMinute() {
        assertThat(Stream.of(1, 2, 3, 4, 5, 6, 7, 1000)
                        .map(times -> FaultChecks.pause(
                                new MoveFault(MoveFault.Kind.UNREACHABLE, true, "", "", Duration.ZERO, times),
                                FaultChecks.LONGEST))
                        .map(Duration::toSeconds))
                .containsExactly(2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L);
    }

    @Test
    void differencesAreCopiedAgainTwiceAndThenAPersonIsAsked() {
        MoveDecision first = diverged(1, 1).plan();
        MoveDecision second = diverged(60, 2).plan();
        MoveDecision third = diverged(3600, 3).plan();

        assertThat(shown(first).orElseThrow().reason())
                .isEqualTo("saw DIVERGED; differences found; the copy is made again");
        assertThat(step(second)).isEqualTo(MoveStep.PREPARE);
        assertThat(third).isInstanceOfSatisfying(MoveDecision.Wait.class, wait -> {
            assertThat(wait.phase()).isEqualTo(MovePhase.BLOCKED);
            assertThat(wait.until()).isEmpty();
            assertThat(wait.reason()).contains("3 copies in a row");
            assertThat(wait.awaited()).contains("ds-4", "spec.intent to Abort");
        });
    }

    private static Sight diverged(int age, int times) {
        return aMove().stored(MovePhase.BLOCKED).stage(Stage.IN_SYNC).fault(MoveFault.Kind.DIVERGED, true, age, times);
    }

    @Test
    void afterTenDrainsAMoveStaysBlockedUntilItSwitchesAgain() {
        MoveDecision waits = blockedByWriters(59).plan();
        MoveDecision measures = blockedByWriters(60).unmeasured().plan();
        MoveDecision switches = blockedByWriters(60).plan();
        MoveDecision switching = blockedByWriters(60).running(MoveStep.SWITCH).plan();

        assertThat(step(measures)).isEqualTo(MoveStep.GATE);
        assertThat(switches)
                .isInstanceOfSatisfying(
                        MoveDecision.Act.class, act -> assertThat(act.step()).isEqualTo(MoveStep.SWITCH));
        assertThat(Stream.of(switches, switching).map(MoveDecision::phase)).containsOnly(MovePhase.SWITCHING);
        assertThat(Stream.of(waits, measures).map(one -> shown(one).orElseThrow()))
                .allSatisfy(wait -> {
                    assertThat(wait.phase()).isEqualTo(MovePhase.BLOCKED);
                    assertThat(wait.blockedBy())
                            .singleElement()
                            .satisfies(one -> assertThat(one.kind()).isEqualTo("Session"));
                });
    }

    @Test
    void aMomentBeforeTheNextSwitchIsNoOtherPhase() {
        MoveDecision turn = blockedByWriters(60).anotherSwitches().plan();
        MoveDecision shut = blockedByWriters(60).gate(false, 300).plan();
        MoveDecision again = blockedByWriters(60).gate(false, 1_000).plan();
        MoveDecision lasting =
                blockedByWriters(60).gateShutFor(5, 300, GateCause.OVER_BUDGET).plan();
        MoveDecision router = blockedByWriters(60).announcedAcks(SHUT).plan();

        assertThat(Stream.of(turn, shut, again).map(one -> shown(one).orElseThrow()))
                .allSatisfy(wait -> {
                    assertThat(wait.phase()).isEqualTo(MovePhase.BLOCKED);
                    assertThat(wait.reason()).contains("found no gap");
                });
        assertThat(shown(turn).orElseThrow().until()).contains(Sight.NOW.plusSeconds(1));
        assertThat(shown(shut).orElseThrow().until()).contains(Sight.NOW.plusMillis(700));
        assertThat(step(again)).isEqualTo(MoveStep.GATE);
        assertThat(Stream.of(lasting, router).map(MoveDecision::phase)).containsOnly(MovePhase.READY);
    }

    private static Sight blockedByWriters(int sinceLast) {
        return aMove().stored(MovePhase.BLOCKED).failedDrains(10, sinceLast);
    }

    @Test
    void aShutGateSaysTheSameWhileItIsMeasuredAgain() {
        MoveDecision waits = aMove().gate(false, 300).plan();
        MoveDecision measures = aMove().gate(false, 1_000).plan();
        MoveDecision measured =
                aMove().gate(false, 1_200).running(MoveStep.GATE).plan();

        assertThat(step(measures)).isEqualTo(MoveStep.GATE);
        assertThat(Stream.of(waits, measures, measured)
                        .map(one -> shown(one).orElseThrow())
                        .map(wait -> wait.phase() + ": " + wait.reason() + "; " + wait.awaited()))
                .containsOnly("READY: the lag is 3 MiB; a gate that is open");
    }

    @Test
    void aGateThatStaysShutNamesSessionsAndSaysWhatToDo() {
        MoveDecision.Wait sessions = shown(aMove().gateShutFor(5, 300, GateCause.OPEN_TRANSACTION, "pid 4711 user app")
                        .plan())
                .orElseThrow();
        MoveDecision.Wait budget =
                shown(aMove().gateShutFor(5, 300, GateCause.OVER_BUDGET).plan()).orElseThrow();
        MoveDecision.Wait young = shown(aMove().gateShutFor(4, 300, GateCause.OPEN_TRANSACTION, "pid 4711 user app")
                        .plan())
                .orElseThrow();

        assertThat(sessions.blockedBy())
                .containsExactly(new MoveDecision.Blocker(
                        "Session", "pid 4711 user app", "has a transaction open on the buckets"));
        assertThat(sessions.advice())
                .hasValueSatisfying(text -> assertThat(text).contains("end the transactions"));
        assertThat(budget.advice()).hasValueSatisfying(text -> assertThat(text).contains("writeHoldBudget"));
        assertThat(young.blockedBy()).isEmpty();
        assertThat(young.advice()).isEmpty();
    }

    @Test
    void aPublicationThatWasPutOffIsAskedForInTime() {
        MoveDecision waits =
                aMove().activated(3).sinceTheChange(400).anotherSwitches().plan();

        assertThat(shown(waits).orElseThrow().until()).contains(Sight.NOW.plusMillis(600));
    }
}
