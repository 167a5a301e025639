package io.shardwright.controllers.bucketmove;

import static io.shardwright.controllers.bucketmove.MoveSight.EIGHT;
import static io.shardwright.controllers.bucketmove.MoveSight.HELD;
import static io.shardwright.controllers.bucketmove.MoveSight.act;
import static io.shardwright.controllers.bucketmove.MoveSight.awaiting;
import static io.shardwright.controllers.bucketmove.MoveSight.verified;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.controllers.world.Golden;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveReport.Progress;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.planning.moves.MoveDecision;
import io.shardwright.planning.moves.MoveDecision.Blocker;
import io.shardwright.planning.moves.MoveDecision.Done;
import io.shardwright.planning.moves.MoveDecision.Wait;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.moves.MoveStep;
import io.shardwright.routing.FenceState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The status of a move for each transition that people meet. */
class MoveStatusGoldenTest {
    private static final Golden GOLDEN = new Golden("BucketMove");
    private static final Blocker ROUTER =
            new Blocker("Router", "orders-web-7 (web)", "silent: delete the pod or wait until it answers");

    /** The life of one move, each status stored before the next. */
    private static Map<String, BucketMoveStatus> life() {
        Map<String, BucketMoveStatus> life = new LinkedHashMap<>();
        life.put(
                "01-pending-behind-another-move",
                new MoveSight()
                        .status(
                                awaiting(
                                        MovePhase.PENDING,
                                        "waits for BucketMove orders-4",
                                        "the end of what is named in blockedBy",
                                        new Blocker("BucketMove", "orders-4", "moves between the same two shards")),
                                EIGHT));
        next(
                life,
                "02-validating",
                new MoveSight(),
                act(MovePhase.VALIDATING, MoveStep.VALIDATE, "first look at both shards"));
        next(
                life,
                "03-copying-with-progress",
                new MoveSight()
                        .rows(FenceState.OWNED, FenceState.IMPORTING)
                        .report(
                                Stage.COPYING,
                                new Progress(1200, 3000, 52_000_000, 4096)
                                        .throttle(
                                                Optional.of("shard ds-4: standby ds-4-b is more than 5 s behind"),
                                                Optional.empty()),
                                List.of(),
                                Optional.empty()),
                awaiting(MovePhase.COPYING, "rows are being copied", "the last chunk"));
        next(
                life,
                "04-ready-announced-and-patient",
                verified().announced().heldSince(Duration.ofMillis(300)),
                awaiting(MovePhase.READY, "announced to the routers", "acknowledgements: " + HELD.story(), ROUTER));
        next(
                life,
                "05-ready-held-by-a-silent-router",
                verified().announced().heldSince(Duration.ofSeconds(40)),
                awaiting(MovePhase.READY, "announced to the routers", "acknowledgements: " + HELD.story(), ROUTER));
        switchAndAfter(life);
        return life;
    }

    private static void switchAndAfter(Map<String, BucketMoveStatus> life) {
        next(
                life,
                "06-switching-the-first-group",
                verified().announced(),
                act(MovePhase.SWITCHING, MoveStep.SWITCH, "all gates are open and fresh"));
        next(
                life,
                "07-blocked-by-a-changed-schema-after-one-of-two",
                new MoveSight()
                        .rows(FenceState.OWNED, FenceState.IMPORTING, 3)
                        .report(
                                Stage.IN_SYNC,
                                new Progress(3000, 3000, 0, 0),
                                List.of(MoveSight.switched(3)),
                                Optional.of(new Failure(
                                        Failure.Kind.SCHEMA_CHANGED,
                                        true,
                                        "orders has changed",
                                        "undo the ALTER TABLE"))),
                awaiting(MovePhase.BLOCKED, "orders has changed", "undo the ALTER TABLE"));
        next(
                life,
                "08-publishing-both",
                verified(3, 17).folded().heldSince(Duration.ZERO),
                act(MovePhase.PUBLISHING, MoveStep.FOLD, "all live routers route by it"));
        next(
                life,
                "09-cleaning-up-past-the-point-of-no-return",
                verified(3, 17).folded(),
                act(
                        MovePhase.CLEANING_UP,
                        MoveStep.CLEAN_UP,
                        "every live router has routed by the new bucket map for 60 s"));
        next(
                life,
                "10-succeeded",
                verified(3, 17).folded(),
                new Done(MovePhase.SUCCEEDED, "ds-4 owns buckets [3, 17]"));
    }

    private static void next(Map<String, BucketMoveStatus> life, String name, MoveSight sight, MoveDecision decision) {
        BucketMoveStatus before = List.copyOf(life.values()).get(life.size() - 1);
        life.put(name, sight.after(before).status(decision, EIGHT.plusSeconds(life.size() * 10L)));
    }

    private static Map<String, BucketMoveStatus> others() {
        Map<String, BucketMoveStatus> all = new LinkedHashMap<>();
        all.put(
                "refused-without-a-cluster",
                new MoveSight()
                        .refused(Reason.CLUSTER_NOT_FOUND, "spec.clusterRef: there is no ShardCluster orders")
                        .status(
                                awaiting(MovePhase.PENDING, "there is no ShardCluster orders", "a ShardCluster"),
                                EIGHT));
        BucketMoveStatus copying = life().get("03-copying-with-progress");
        BucketMoveStatus aborting = new MoveSight()
                .after(copying)
                .rows(FenceState.OWNED, FenceState.IMPORTING)
                .status(act(MovePhase.ABORTING, MoveStep.ABORT, "abort was asked for"), EIGHT.plusSeconds(60));
        all.put("aborting", aborting);
        all.put(
                "aborted",
                new MoveSight()
                        .after(aborting)
                        .rows(FenceState.OWNED, FenceState.ABORTED)
                        .status(
                                new Done(
                                        MovePhase.ABORTED,
                                        "aborted; the source owns all buckets, nothing is left over"),
                                EIGHT.plusSeconds(70)));
        all.put(
                "partially-moved",
                verified(3)
                        .after(life().get("07-blocked-by-a-changed-schema-after-one-of-two"))
                        .status(
                                new Done(MovePhase.SUCCEEDED, "ds-4 owns buckets [3]; [17] stayed on ds-0"),
                                EIGHT.plusSeconds(90)));
        all.put("blocked-by-foreign-rows", blockedByForeignRows());
        return all;
    }

    private static BucketMoveStatus blockedByForeignRows() {
        return new MoveSight()
                .after(life().get("02-validating"))
                .report(
                        Stage.NONE,
                        Progress.NONE,
                        List.of(),
                        Optional.of(new Failure(
                                Failure.Kind.FOREIGN_ROWS,
                                true,
                                "ds-4 has 12 rows of bucket 3 that no move brought",
                                "look at them and remove them")))
                .status(
                        awaiting(
                                MovePhase.BLOCKED,
                                "ds-4 has 12 rows of bucket 3 that no move brought",
                                "look at them and remove them"),
                        EIGHT.plusSeconds(30));
    }

    private static Map<String, BucketMoveStatus> all() {
        Map<String, BucketMoveStatus> all = life();
        all.putAll(others());
        return all;
    }

    @TestFactory
    Stream<DynamicTest> saysWhatIsSeenAndWhatToDo() {
        return all().entrySet().stream()
                .map(one -> DynamicTest.dynamicTest(one.getKey(), () -> GOLDEN.check(one.getKey(), one.getValue())));
    }

    @Test
    void noScenarioIsMissingAndNoFileIsLeftOver() {
        GOLDEN.nothingElseThan(all().keySet());
    }

    @Test
    void theSameSightTwiceIsTheSameStatus() {
        BucketMoveStatus ready = life().get("05-ready-held-by-a-silent-router");

        BucketMoveStatus again = verified()
                .announced()
                .heldSince(Duration.ofSeconds(40))
                .after(ready)
                .status(
                        awaiting(
                                MovePhase.READY,
                                "announced to the routers",
                                "acknowledgements: " + HELD.story(),
                                ROUTER),
                        EIGHT.plusSeconds(500));

        assertThat(again).isEqualTo(ready);
    }

    @Test
    void historyKeepsTheLastTwenty() {
        BucketMoveStatus status = life().get("02-validating");
        for (int i = 0; i < 30; i++) {
            MovePhase phase = i % 2 == 0 ? MovePhase.READY : MovePhase.CATCHING_UP;
            status = verified()
                    .after(status)
                    .status(act(phase, MoveStep.GATE, "round " + i), EIGHT.plusSeconds(100 + i));
        }

        assertThat(status.history()).hasSize(20);
        assertThat(status.history().get(19).evidence()).isEqualTo("round 29");
    }

    @Test
    void aMoveOfManyGroupsTellsThatItSwitchesOnceAndAgainAfterAnInterruption() {
        BucketMoveStatus status = life().get("04-ready-announced-and-patient");
        int before = status.history().size();
        List<String> events = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            MovePhase phase = i % 2 == 0 ? MovePhase.SWITCHING : MovePhase.READY;
            BucketMoveStatus next = verified()
                    .after(status)
                    .status(act(phase, MoveStep.GATE, "round " + i), EIGHT.plusSeconds(100 + i));
            MoveTransitions.between(status, next).forEach(event -> events.add(event.message()));
            assertThat(next.phase()).isEqualTo(phase.wire());
            status = next;
        }
        status = verified()
                .after(status)
                .status(act(MovePhase.PUBLISHING, MoveStep.FOLD, "all moved"), EIGHT.plusSeconds(200));

        assertThat(events).containsExactly("Switching: round 0");
        assertThat(status.history().subList(before, status.history().size()))
                .extracting(BucketMoveStatus.Transition::to)
                .containsExactly("Switching", "Publishing");
    }

    @Test
    void anAbortThatComesTooLateSaysHowToUndoTheMove() {
        MoveDecision fold = act(MovePhase.PUBLISHING, MoveStep.FOLD, "all moved");

        assertThat(aborted().following().status(fold, EIGHT).nextAction())
                .contains("too late", "to switch back: kubectl patch bucketmove orders-5 -n shop", "Reverse");
        assertThat(aborted().wayBackLost("the slot is gone").status(fold, EIGHT).nextAction())
                .contains("too late", "BucketMove from ds-4 to ds-0");
        assertThat(verified(3, 17).status(fold, EIGHT).nextAction()).isNull();
    }

    private static MoveSight aborted() {
        return verified(3, 17).intent(BucketMoveSpec.Intent.ABORT);
    }

    @Test
    void aSwitchThatIsTriedForHoursIsBlockedOnce() {
        BucketMoveStatus status = life().get("06-switching-the-first-group");
        int before = status.history().size();
        List<String> events = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            MovePhase phase = i % 2 == 0 ? MovePhase.BLOCKED : MovePhase.SWITCHING;
            status = told(status, verified().failedDrains(10 + i), phase, events);
        }
        status = told(status, verified(3), MovePhase.READY, events);
        status = told(status, verified(3, 17), MovePhase.PUBLISHING, events);

        assertThat(status.history().subList(before, status.history().size()))
                .extracting(BucketMoveStatus.Transition::to)
                .containsExactly("Blocked", "Ready", "Publishing");
        assertThat(events).hasSize(3);
    }

    @Test
    void aCleanupThatIsTriedForHoursIsBlockedOnce() {
        BucketMoveStatus status = life().get("09-cleaning-up-past-the-point-of-no-return");
        int before = status.history().size();
        List<String> events = new ArrayList<>();
        for (int i = 0; i < 31; i++) {
            MovePhase phase = i % 2 == 0 ? MovePhase.BLOCKED : MovePhase.CLEANING_UP;
            status = told(status, verified(3, 17).folded(), phase, events);
        }
        status = told(status, verified(3, 17).folded(), MovePhase.CLEANING_UP, events);
        status = told(status, verified(3, 17).folded(), MovePhase.SUCCEEDED, events);

        assertThat(status.history().subList(before, status.history().size()))
                .extracting(BucketMoveStatus.Transition::to)
                .containsExactly("Blocked", "Succeeded");
        assertThat(events).hasSize(2);
    }

    private static BucketMoveStatus told(
            BucketMoveStatus before, MoveSight sight, MovePhase phase, List<String> events) {
        BucketMoveStatus next =
                sight.after(before).status(act(phase, MoveStep.GATE, "as planned"), EIGHT.plusSeconds(300));
        MoveTransitions.between(before, next).forEach(event -> events.add(event.message()));
        assertThat(next.phase()).isEqualTo(phase.wire());
        return next;
    }

    @Test
    void switchesKeepTheLastTwentyAndTheLongestHold() {
        List<MoveReport.Switch> all = IntStream.range(0, 60)
                .mapToObj(bucket -> switched(bucket, bucket == 7 ? 99 : 1 + bucket / 100.0))
                .toList();
        BucketMoveStatus status = new MoveSight()
                .after(life().get("06-switching-the-first-group"))
                .report(Stage.VERIFIED, Progress.NONE, all, Optional.empty())
                .status(act(MovePhase.SWITCHING, MoveStep.SWITCH, "on"), EIGHT.plusSeconds(90));
        BucketMoveStatus byANewLeader = new MoveSight()
                .after(status)
                .report(Stage.VERIFIED, Progress.NONE, List.of(switched(60, 2)), Optional.empty())
                .status(act(MovePhase.SWITCHING, MoveStep.SWITCH, "on"), EIGHT.plusSeconds(99));

        assertThat(status.switches()).hasSize(21);
        assertThat(status.switches().get(0).bucket()).isEqualTo(7);
        assertThat(status.switches().get(20).bucket()).isEqualTo(59);
        assertThat(byANewLeader.switches()).hasSize(21);
        assertThat(byANewLeader.switches().get(20).bucket()).isEqualTo(60);
        assertThat(byANewLeader.hold().actualMs()).isEqualTo(99);
        assertThat(MoveFigures.onlyFiguresDiffer(status, byANewLeader)).isTrue();
    }

    private static MoveReport.Switch switched(int bucket, double holdMs) {
        return new MoveReport.Switch(
                new TreeMap<>(Map.of(bucket, 2L)), true, 3.25, holdMs, Map.of("drain", 1.0), List.of());
    }

    @Test
    void aPhaseThatNoRuleLeadsToIsMarked() {
        BucketMoveStatus restored = life().get("09-cleaning-up-past-the-point-of-no-return");

        BucketMoveStatus status = verified()
                .after(restored)
                .status(act(MovePhase.COPYING, MoveStep.PREPARE, "the copy was not finished"), EIGHT.plusSeconds(300));

        assertThat(status.history().get(status.history().size() - 1).evidence())
                .startsWith("the copy was not finished (no rule leads here from CleaningUp");
    }

    @Test
    void aFailedPassIsToldAndChangesNothingElse() {
        BucketMoveStatus copying = life().get("03-copying-with-progress");
        BucketMove move = new BucketMove();
        move.setStatus(copying);

        BucketMoveStatus status = MoveStatusFactory.faulty(move, "the table was refused", EIGHT.plusSeconds(30));

        assertThat(Conditions.find(status.conditions(), ConditionType.PROGRESSING))
                .hasValueSatisfying(condition -> {
                    assertThat(condition.reason()).isEqualTo("OperatorFault");
                    assertThat(condition.message()).isEqualTo("the table was refused");
                    assertThat(condition.isTrue()).isFalse();
                });
        assertThat(status.phase()).isEqualTo("Copying");
        assertThat(status.history()).isEqualTo(copying.history());
        assertThat(status.conditions()).hasSameSizeAs(copying.conditions());
        assertThat(MoveTransitions.between(copying, status)).isEmpty();
    }

    @Test
    void aGateThatStaysShutSaysWhatToDo() {
        BucketMoveStatus status = verified()
                .announced()
                .after(life().get("04-ready-announced-and-patient"))
                .status(
                        new Wait(
                                MovePhase.READY,
                                "a transaction is open",
                                "a gate that is open",
                                Optional.empty(),
                                List.of(new Blocker("Session", "pid 4711 user app 'web'", "has a transaction open")),
                                Optional.of("end it"),
                                true),
                        EIGHT.plusSeconds(70));

        assertThat(status.nextAction()).isEqualTo("end it");
        assertThat(Conditions.find(status.conditions(), ConditionType.PROGRESSING)
                        .orElseThrow()
                        .reason())
                .isEqualTo("AwaitingGate");
    }

    @Test
    void eventsTellPhasesAndTheFirstRouterThatHolds() {
        Map<String, BucketMoveStatus> life = life();

        assertThat(MoveTransitions.between(
                        life.get("04-ready-announced-and-patient"), life.get("05-ready-held-by-a-silent-router")))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.reason()).isEqualTo("AwaitingAcks");
                    assertThat(event.message()).contains("orders-web-7");
                });
        assertThat(MoveTransitions.between(
                        life.get("06-switching-the-first-group"),
                        life.get("07-blocked-by-a-changed-schema-after-one-of-two")))
                .singleElement()
                .satisfies(event -> assertThat(event.message()).contains("undo the ALTER TABLE"));
        assertThat(MoveTransitions.between(life.get("10-succeeded"), life.get("10-succeeded")))
                .isEmpty();
    }
}
