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
import io.shardwright.planning.windows.Closure;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.time.Instant;
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

    private static Map<String, BucketMoveStatus> others() {
        Map<String, BucketMoveStatus> all = new LinkedHashMap<>();
        all.put(
                "refused-without-a-cluster",
                new MoveSight()
                        .refused(Reason.CLUSTER_NOT_FOUND, "spec.clusterRef: there is no ShardCluster orders")
                        .status(
                                awaiting(MovePhase.PENDING, "there is no ShardCluster orders", "a ShardCluster"),
                                EIGHT));
        BucketMoveStatus copying = MoveLife.ofAMove().get("03-copying-with-progress");
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
                        .after(MoveLife.ofAMove().get("07-blocked-by-a-changed-schema-after-one-of-two"))
                        .status(
                                new Done(MovePhase.SUCCEEDED, "ds-4 owns buckets [3]; [17] stayed on ds-0"),
                                EIGHT.plusSeconds(90)));
        all.put("blocked-by-foreign-rows", blockedByForeignRows());
        all.put(
                "blocked-by-two-owners-after-a-changed-schema",
                changedSchema(FenceState.OWNED, FenceState.OWNED)
                        .after(MoveLife.ofAMove().get("07-blocked-by-a-changed-schema-after-one-of-two"))
                        .planned(EIGHT.plusSeconds(90)));
        return all;
    }

    /** Held by windows and freezes, before it begins, before its switch and before its cleanup. */
    private static Map<String, BucketMoveStatus> untimely() {
        Instant opens = Instant.parse("2026-03-01T17:00:00Z");
        Closure outside = new Closure(
                "tolerance",
                Closure.Cause.OUTSIDE,
                "outside of its windows; the next one opens at 2026-03-01T17:00:00Z (2026-03-02 02:00 in Asia/Seoul)",
                Optional.of(opens));
        Closure frozen = new Closure(
                "tolerance",
                Closure.Cause.FROZEN,
                "frozen from 2026-02-20T00:00:00Z to 2026-03-10T00:00:00Z: holidays",
                Optional.of(Instant.parse("2026-03-10T00:00:00Z")));
        Map<String, BucketMoveStatus> all = new LinkedHashMap<>();
        all.put(
                "pending-outside-of-the-windows",
                new MoveSight().closed(outside).planned(EIGHT));
        all.put(
                "ready-in-a-freeze",
                verified()
                        .following()
                        .closed(frozen)
                        .after(MoveLife.ofAMove().get("03-copying-with-progress"))
                        .planned(EIGHT.plusSeconds(40)));
        all.put(
                "ready-and-its-windows-cannot-be-obeyed",
                verified()
                        .following()
                        .closed(Closure.unreadable(
                                "tolerance", "spec.windows[0].timeZone: there is no time zone Asia/Soul"))
                        .after(MoveLife.ofAMove().get("03-copying-with-progress"))
                        .planned(EIGHT.plusSeconds(40)));
        all.put(
                "soaked-and-waiting-for-its-window",
                verified(3, 17)
                        .report(Stage.RETIRED, Progress.NONE, List.of(), Optional.empty())
                        .following()
                        .foldedFor(Duration.ofHours(2))
                        .acknowledgedFor(Duration.ofMinutes(5))
                        .closed(outside)
                        .after(ReversalLife.statuses().get("01-reversible"))
                        .planned(EIGHT.plusSeconds(7200)));
        return all;
    }

    /** What has failed stays until work begins again, and it does not. */
    private static MoveSight changedSchema(FenceState source, FenceState target) {
        return new MoveSight()
                .rows(source, target)
                .report(
                        Stage.IN_SYNC,
                        new Progress(3000, 3000, 0, 0),
                        List.of(),
                        Optional.of(new Failure(
                                Failure.Kind.SCHEMA_CHANGED, true, "orders has changed", "undo the ALTER TABLE")));
    }

    private static BucketMoveStatus blockedByForeignRows() {
        return new MoveSight()
                .after(MoveLife.ofAMove().get("02-validating"))
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
        Map<String, BucketMoveStatus> all = MoveLife.ofAMove();
        all.putAll(others());
        all.putAll(untimely());
        return all;
    }

    @TestFactory
    Stream<DynamicTest> saysWhatIsSeenAndWhatToDo() {
        return GOLDEN.each(all(), status -> status);
    }

    @Test
    void noScenarioIsMissingAndNoFileIsLeftOver() {
        GOLDEN.nothingElseThan(all().keySet());
    }

    @Test
    void theSameSightTwiceIsTheSameStatus() {
        BucketMoveStatus ready = MoveLife.ofAMove().get("05-ready-held-by-a-silent-router");

        BucketMoveStatus again = verified()
                .announced()
                .heldSince(Duration.ofSeconds(40))
                .after(ready)
                .status(
                        awaiting(
                                MovePhase.READY,
                                "announced to the routers",
                                "acknowledgements: " + HELD.story(),
                                MoveLife.ROUTER),
                        EIGHT.plusSeconds(500));

        assertThat(again).isEqualTo(ready);
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
    void whatTheFenceRowsSayIsNotToldAsAFaultThatLingers() {
        Map<String, BucketMoveStatus> life = MoveLife.ofAMove();

        BucketMoveStatus unexplained = changedSchema(FenceState.IMPORTING, FenceState.IMPORTING)
                .after(life.get("07-blocked-by-a-changed-schema-after-one-of-two"))
                .planned(EIGHT.plusSeconds(90));
        BucketMoveStatus ownerLost = changedSchema(FenceState.OWNED, FenceState.IMPORTING)
                .after(life.get("09-cleaning-up-past-the-point-of-no-return"))
                .planned(EIGHT.plusSeconds(200));

        assertThat(progressing(unexplained)).startsWith("Blocked: the fence rows of buckets [3, 17] fit no step");
        assertThat(progressing(ownerLost)).startsWith("Blocked: after the cleanup had begun the target is no longer");
    }

    private static String progressing(BucketMoveStatus status) {
        return Conditions.find(status.conditions(), ConditionType.PROGRESSING)
                .map(one -> one.reason() + ": " + one.message())
                .orElseThrow();
    }

    @Test
    void switchesKeepTheLastTwentyAndTheLongestHold() {
        List<MoveReport.Switch> all = IntStream.range(0, 60)
                .mapToObj(bucket -> switched(bucket, bucket == 7 ? 99 : 1 + bucket / 100.0))
                .toList();
        BucketMoveStatus status = new MoveSight()
                .after(MoveLife.ofAMove().get("06-switching-the-first-group"))
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
                new TreeMap<>(Map.of(Scope.bucket(bucket), 2L)), true, 3.25, holdMs, Map.of("drain", 1.0), List.of());
    }

    @Test
    void aFailedPassIsToldAndChangesNothingElse() {
        BucketMoveStatus copying = MoveLife.ofAMove().get("03-copying-with-progress");
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
                .after(MoveLife.ofAMove().get("04-ready-announced-and-patient"))
                .status(
                        new Wait(
                                MovePhase.READY,
                                "a transaction is open",
                                "a gate that is open",
                                Optional.empty(),
                                List.of(new Blocker("Session", "pid 4711 user app 'web'", "has a transaction open")),
                                Optional.of("end it"),
                                true,
                                false),
                        EIGHT.plusSeconds(70));

        assertThat(status.nextAction()).isEqualTo("end it");
        assertThat(Conditions.find(status.conditions(), ConditionType.PROGRESSING)
                        .orElseThrow()
                        .reason())
                .isEqualTo("AwaitingGate");
    }
}
