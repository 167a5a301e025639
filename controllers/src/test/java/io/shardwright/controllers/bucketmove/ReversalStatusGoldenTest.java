package io.shardwright.controllers.bucketmove;

import static io.shardwright.controllers.bucketmove.MoveLife.next;
import static io.shardwright.controllers.bucketmove.MoveSight.EIGHT;
import static io.shardwright.controllers.bucketmove.MoveSight.act;
import static io.shardwright.controllers.bucketmove.MoveSight.awaiting;
import static io.shardwright.controllers.bucketmove.MoveSight.verified;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.controllers.report.Transition;
import io.shardwright.controllers.world.Golden;
import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.bucketmove.BucketMoveSpec.Intent;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Progress;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.planning.moves.MoveDecision;
import io.shardwright.planning.moves.MoveDecision.Done;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.moves.MoveStep;
import io.shardwright.planning.moves.WayBack;
import io.shardwright.routing.FenceState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The status of a move that soaks, is paused, is reversed, or cannot be reversed any more. */
class ReversalStatusGoldenTest {
    private static final Golden GOLDEN = new Golden("BucketMoveReversal");
    private static final Instant NINE = EIGHT.plus(Duration.ofHours(1));
    private static final String LOST = "the slot of the way back was removed";

    private static MoveSight soaking(Duration since) {
        return verified(3, 17).following().foldedFor(since);
    }

    private static MoveDecision reversible() {
        return awaiting(MovePhase.REVERSIBLE, "ds-4 owns all buckets, and ds-0 follows", "the end of the soak");
    }

    /** The way back, with what its mover has switched. */
    private static MoveSight back(Integer... returned) {
        List<MoveReport.Switch> switches = Stream.of(returned)
                .map(bucket -> new MoveReport.Switch(
                        new TreeMap<>(Map.of(bucket, 3L)), true, 2.5, 9.0, Map.of("drain", 2.0), List.of()))
                .toList();
        return new MoveSight()
                .intent(Intent.REVERSE)
                .rowsBack(FenceState.OWNED, FenceState.IMPORTING, returned)
                .report(Stage.IN_SYNC, new Progress(0, 0, 0, 512), switches, Optional.empty());
    }

    private static Map<String, BucketMoveStatus> life() {
        Map<String, BucketMoveStatus> life = new LinkedHashMap<>();
        life.put("01-reversible", soaking(Duration.ofMinutes(10)).status(reversible(), EIGHT));
        next(
                life,
                NINE,
                "02-reversing",
                soaking(Duration.ofMinutes(20)).intent(Intent.REVERSE),
                act(MovePhase.REVERSING, MoveStep.TURN_BACK, "reversal was asked for"));
        next(
                life,
                NINE,
                "03-switching-the-second-bucket-back",
                back(3),
                act(MovePhase.SWITCHING, MoveStep.SWITCH, "all gates are open and fresh"));
        next(
                life,
                NINE,
                "04-paused-with-one-bucket-back",
                back(3).intent(Intent.PAUSE),
                awaiting(MovePhase.PAUSED, "paused on request", "another intent"));
        next(
                life,
                NINE,
                "05-cleaning-up-the-target",
                back(3, 17).folded(),
                act(
                        MovePhase.CLEANING_UP,
                        MoveStep.CLEAN_UP,
                        "every live router has routed by the new bucket map for 60 s"));
        next(
                life,
                NINE,
                "06-taken-back",
                back(3, 17).folded(),
                new Done(MovePhase.SUCCEEDED, "ds-0 owns buckets [3, 17]"));
        next(
                life,
                NINE,
                "07-reversed",
                returned().intent(Intent.REVERSE),
                new Done(MovePhase.REVERSED, "ds-0 owns buckets [3, 17] again"));
        return life;
    }

    /** The way there, once all has gone back. */
    private static MoveSight returned() {
        return new MoveSight()
                .rows(FenceState.OWNED, FenceState.MOVED)
                .report(Stage.CLEANED_UP, Progress.NONE, List.of(), Optional.empty());
    }

    private static Map<String, BucketMoveStatus> others() {
        Map<String, BucketMoveStatus> all = new LinkedHashMap<>();
        Map<String, BucketMoveStatus> life = life();
        BucketMoveStatus soaking = life.get("01-reversible");
        all.put(
                "paused-in-the-soak",
                soaking(Duration.ofMinutes(20))
                        .intent(Intent.PAUSE)
                        .after(soaking)
                        .status(awaiting(MovePhase.PAUSED, "paused on request", "another intent"), NINE));
        BucketMoveStatus lost = lost(soaking).status(reversible(), NINE);
        all.put("way-back-lost", lost);
        all.put(
                "way-back-lost-and-reversal-wanted",
                lost(lost)
                        .intent(Intent.REVERSE)
                        .status(
                                awaiting(
                                        MovePhase.BLOCKED,
                                        "this move cannot be reversed: " + LOST,
                                        "spec.intent Run; to bring the buckets back after that create a BucketMove from"
                                                + " ds-4 to ds-0"),
                                NINE));
        all.put(
                "completed-early",
                soaking(Duration.ofMinutes(20))
                        .intent(Intent.COMPLETE)
                        .after(soaking)
                        .status(act(MovePhase.CLEANING_UP, MoveStep.DISMISS, "the soak was ended on request"), NINE));
        all.put(
                "deleted-in-the-soak",
                soaking(Duration.ofMinutes(20)).deleted().after(soaking).status(reversible(), NINE));
        return all;
    }

    private static Map<String, BucketMoveStatus> againstTheReversal() {
        Map<String, BucketMoveStatus> all = new LinkedHashMap<>();
        Map<String, BucketMoveStatus> life = life();
        BucketMoveStatus decidedAgainst = back(3).intent(Intent.RUN)
                .after(life.get("03-switching-the-second-bucket-back"))
                .status(
                        new Done(MovePhase.SUCCEEDED, "ds-0 owns buckets [3]; [17] stay on ds-4"),
                        NINE.plusSeconds(60));
        all.put("reversal-cut-short", decidedAgainst);
        BucketMoveStatus reversing = life.get("02-reversing");
        BucketMoveStatus aborted = back().intent(Intent.RUN)
                .after(reversing)
                .status(new Done(MovePhase.ABORTED, "the reversal was decided against"), NINE.plusSeconds(60));
        all.put("reversal-taken-back", aborted);
        all.put(
                "reversal-taken-back-and-about-to-be-cleaned",
                verified(3, 17)
                        .foldedFor(Duration.ofMinutes(25))
                        .after(aborted)
                        .status(
                                awaiting(
                                        MovePhase.PUBLISHING,
                                        "every live router routes by the new bucket map",
                                        "that this stays so for 60 s"),
                                NINE.plusSeconds(70)));
        return all;
    }

    private static MoveSight lost(BucketMoveStatus before) {
        return verified(3, 17)
                .wayBackLost(LOST)
                .foldedFor(Duration.ofMinutes(20))
                .after(before);
    }

    private static Map<String, BucketMoveStatus> all() {
        Map<String, BucketMoveStatus> all = life();
        all.putAll(others());
        all.putAll(againstTheReversal());
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
    void aSoakThatGoesOnIsTheSameStatusAndOneThatBeginsAnewEndsLater() {
        BucketMoveStatus soaking = life().get("01-reversible");

        BucketMoveStatus later = soaking(Duration.ofMinutes(25).plusMillis(700))
                .after(soaking)
                .status(reversible(), EIGHT.plus(Duration.ofMinutes(15)));
        BucketMoveStatus byANewLeader =
                soaking(Duration.ZERO).after(soaking).status(reversible(), EIGHT.plus(Duration.ofMinutes(15)));

        assertThat(later).isEqualTo(soaking);
        assertThat(byANewLeader.reversibleUntil()).isEqualTo("2026-03-01T09:15:00Z");
    }

    @Test
    void aSwitchBackThatIsTriedForHoursIsBlockedOnceAndToldAgainWhenItGetsOn() {
        BucketMoveStatus status = life().get("03-switching-the-second-bucket-back");
        int before = status.history().size();
        for (int i = 0; i < 20; i++) {
            MovePhase phase = i % 2 == 0 ? MovePhase.BLOCKED : MovePhase.SWITCHING;
            status = back(3).failedDrains(10 + i)
                    .after(status)
                    .status(act(phase, MoveStep.SWITCH, "round " + i), NINE.plusSeconds(100 + i));
        }
        status = back(3, 17)
                .after(status)
                .status(act(MovePhase.PUBLISHING, MoveStep.FOLD, "all went back"), NINE.plusSeconds(200));

        assertThat(status.history().subList(before, status.history().size()))
                .extracting(BucketMoveStatus.Transition::to)
                .containsExactly("Blocked", "Reversing");
    }

    @Test
    void readyIsTrueOnlyForWhatWasAskedFor() {
        BucketMoveStatus back = life().get("06-taken-back");
        Done reversed = new Done(MovePhase.REVERSED, "ds-0 owns buckets [3, 17] again");
        Done succeeded = new Done(MovePhase.SUCCEEDED, "ds-4 owns buckets [3, 17]");

        assertThat(ready(returned().intent(Intent.REVERSE).after(back).status(reversed, NINE)))
                .isEqualTo("True Reversed");
        assertThat(ready(returned().intent(Intent.RUN).after(back).status(reversed, NINE)))
                .isEqualTo("False Reversed");
        assertThat(ready(verified(3, 17).intent(Intent.COMPLETE).status(succeeded, NINE)))
                .isEqualTo("True Succeeded");
        assertThat(ready(verified(3, 17).intent(Intent.ABORT).status(succeeded, NINE)))
                .isEqualTo("False Switched");
        assertThat(ready(verified(3, 17).intent(Intent.REVERSE).status(succeeded, NINE)))
                .isEqualTo("False SoakOver");
    }

    private static String ready(BucketMoveStatus status) {
        return said(status, ConditionType.READY);
    }

    private static String said(BucketMoveStatus status, ConditionType type) {
        return condition(status, type)
                .map(one -> one.status() + " " + one.reason())
                .orElseThrow();
    }

    private static Optional<Condition> condition(BucketMoveStatus status, ConditionType type) {
        return Conditions.find(status.conditions(), type);
    }

    @Test
    void thatTheWayBackIsLostIsToldOnceAndKeptOverAChangeOfLeader() {
        BucketMoveStatus soaking = life().get("01-reversible");
        BucketMoveStatus lost = others().get("way-back-lost");
        BucketMoveStatus opening =
                verified(3, 17).foldedFor(Duration.ofSeconds(1)).after(lost).status(reversible(), NINE.plusSeconds(5));

        assertThat(MoveTransitions.between(soaking, lost))
                .singleElement()
                .satisfies(event -> assertThat(event.message()).contains(LOST));
        assertThat(MoveTransitions.between(lost, opening)).isEmpty();
        assertThat(condition(opening, ConditionType.REVERSIBLE))
                .hasValueSatisfying(one -> assertThat(one.message()).contains(LOST));
    }

    @Test
    void thatAnEarlierLeaderSawTheStreamIsNoProofThatItRuns() {
        BucketMoveStatus soaking = life().get("01-reversible");

        BucketMoveStatus unread = new MoveSight().after(soaking).status(reversible(), NINE);
        BucketMoveStatus byItsStream =
                new MoveSight().following().after(soaking).status(reversible(), NINE);

        assertThat(said(unread, ConditionType.REVERSIBLE)).isEqualTo("False WayBackOpening");
        assertThat(said(unread, ConditionType.WRITES_SWITCHED)).isEqualTo("True Switched");
        assertThat(said(byItsStream, ConditionType.REVERSIBLE)).isEqualTo("True Reversible");
    }

    @Test
    void aDifferenceIsKnownUntilBothSidesAreFoundEqual() {
        BucketMoveStatus soaking = life().get("01-reversible");
        String differs = "bucket 17: 1 row differs";
        Duration since = Duration.ofMinutes(20);

        BucketMoveStatus found =
                soaking(since).differing(differs).after(soaking).status(reversible(), NINE);
        BucketMoveStatus byANewLeader = new MoveSight().after(found).status(reversible(), NINE);
        BucketMoveStatus followed = soaking(since).after(byANewLeader).status(reversible(), NINE);
        BucketMoveStatus lost = lost(followed).status(reversible(), NINE);
        BucketMoveStatus blocked =
                soaking(since).after(lost).status(awaiting(MovePhase.BLOCKED, differs, "a person"), NINE);
        BucketMoveStatus repaired = soaking(since).compared().after(lost).status(reversible(), NINE);

        assertThat(List.of(found, byANewLeader, followed, lost, blocked))
                .extracting(status -> condition(status, ConditionType.REVERSIBLE))
                .allSatisfy(one -> assertThat(one)
                        .hasValueSatisfying(said -> assertThat(said.reason() + ": " + said.message())
                                .isEqualTo("Diverged: " + differs)));
        assertThat(said(blocked, ConditionType.PROGRESSING)).isEqualTo("False Diverged");
        assertThat(said(repaired, ConditionType.REVERSIBLE)).isEqualTo("True Reversible");
    }

    @Test
    void aDifferenceOutlivesAFailoverThatGivesBackTheOwnerOrTakesItAway() {
        String differs = "bucket 17: 1 row differs";
        BucketMoveStatus found = soaking(Duration.ofMinutes(20))
                .differing(differs)
                .after(life().get("01-reversible"))
                .status(reversible(), NINE);

        BucketMoveStatus twoOwners = new MoveSight()
                .rows(FenceState.OWNED, FenceState.OWNED)
                .after(found)
                .planned(NINE);
        BucketMoveStatus noOwner = new MoveSight()
                .rows(FenceState.MOVED, FenceState.IMPORTING)
                .after(found)
                .planned(NINE);
        BucketMoveStatus atHome = new MoveSight()
                .rows(FenceState.OWNED, FenceState.ABORTED)
                .after(found)
                .planned(NINE);

        assertThat(List.of(twoOwners, noOwner)).allMatch(Reversibility::differed);
        assertThat(said(twoOwners, ConditionType.PROGRESSING)).isEqualTo("False Blocked");
        assertThat(Reversibility.differed(atHome)).isFalse();
    }

    @Test
    void aDifferenceThatEndsAReversalIsToldUntilAPersonLetsTheMoveGo() {
        BucketMoveStatus reversing = life().get("02-reversing");
        MoveDecision abort = act(MovePhase.ABORTING, MoveStep.ABORT, "bucket 17: 1 row differs");
        Done aborted = new Done(MovePhase.FAILED, "decided against; ds-4 owns all buckets");

        BucketMoveStatus found =
                back().failed("bucket 17: 1 row differs").after(reversing).status(abort, NINE);
        BucketMoveStatus byANewLeader =
                new MoveSight().intent(Intent.REVERSE).after(found).status(abort, NINE);
        BucketMoveStatus ended = back().after(byANewLeader).status(aborted, NINE);
        MoveSight kept = verified(3, 17).foldedFor(Duration.ofMinutes(20));
        BucketMoveStatus blocked =
                kept.after(ended).status(awaiting(MovePhase.BLOCKED, "both sides differ", "a person"), NINE);

        BucketMoveStatus twoOwners = new MoveSight()
                .rows(FenceState.OWNED, FenceState.OWNED)
                .after(ended)
                .planned(NINE);

        assertThat(List.of(found, byANewLeader, ended, blocked, twoOwners))
                .extracting(
                        status -> condition(status, ConditionType.REVERSIBLE).orElseThrow())
                .allSatisfy(one -> assertThat(one.reason() + ": " + one.message())
                        .isEqualTo("Diverged: bucket 17: 1 row differs"));
        assertThat(said(blocked, ConditionType.PROGRESSING)).isEqualTo("False Diverged");
        assertThat(MoveFigures.proveTheSame(reversing, found)).isFalse();
        assertThat(MoveFigures.proveTheSame(found, byANewLeader)).isTrue();
    }

    @Test
    void aDifferenceThatWasMendedIsNotToldOfAReversalThatHasVerified() {
        BucketMoveStatus found = back().failed("bucket 17: 1 row differs")
                .after(life().get("02-reversing"))
                .status(awaiting(MovePhase.BLOCKED, "bucket 17: 1 row differs", "a person"), NINE);

        BucketMoveStatus equal = back().report(Stage.VERIFIED, Progress.NONE, List.of(), Optional.empty())
                .after(found)
                .status(act(MovePhase.READY, MoveStep.ANNOUNCE, "verified"), NINE);

        assertThat(said(equal, ConditionType.REVERSIBLE)).isEqualTo("False Reversing");
    }

    @Test
    void aReversalKeepsThePromiseOfTheSoakAlsoWhenItWasDecidedAgainst() {
        String promised = life().get("01-reversible").reversibleUntil();

        assertThat(life().get("03-switching-the-second-bucket-back").reversibleUntil())
                .isEqualTo(promised);
        assertThat(againstTheReversal().get("reversal-taken-back").reversibleUntil())
                .isEqualTo(promised);
        assertThat(againstTheReversal()
                        .get("reversal-taken-back-and-about-to-be-cleaned")
                        .reversibleUntil())
                .isEqualTo(promised);
        assertThat(life().get("07-reversed").reversibleUntil()).isNull();
    }

    @Test
    void thatAReversalBeginsOrRowsMayGoIsStoredBeforeTheStep() {
        Map<String, BucketMoveStatus> life = life();

        assertThat(MoveFigures.proveTheSame(life.get("01-reversible"), life.get("02-reversing")))
                .isFalse();
        assertThat(MoveFigures.proveTheSame(
                        life.get("04-paused-with-one-bucket-back"), life.get("05-cleaning-up-the-target")))
                .isFalse();
        assertThat(MoveFigures.proveTheSame(life.get("02-reversing"), life.get("03-switching-the-second-bucket-back")))
                .isFalse();
    }

    @Test
    void thePlannerHearsOfADifferenceThatAnEarlierLeaderFound() {
        BucketMoveStatus found =
                soaking(Duration.ofMinutes(20)).differing("bucket 17 differs").status(reversible(), NINE);
        BucketMoveStatus soaking = life().get("01-reversible");
        WayBack following = soaking(Duration.ofMinutes(20)).wayBack(found);

        assertThat(following.isKnownToDiffer()).isTrue();
        assertThat(soaking(Duration.ofMinutes(20))
                        .wayBackLost(LOST)
                        .wayBack(found)
                        .isKnownToDiffer())
                .isTrue();
        assertThat(soaking(Duration.ofMinutes(20)).compared().wayBack(found).isKnownToDiffer())
                .isFalse();
        assertThat(soaking(Duration.ofMinutes(20)).wayBack(soaking).isKnownToDiffer())
                .isFalse();
        assertThat(soaking(Duration.ofMinutes(20)).wayBack(null).isKnownToDiffer())
                .isFalse();
    }

    @Test
    void aMoveThatStandsStillInItsSoakKeepsWhatWasPromised() {
        BucketMoveStatus soaking = life().get("01-reversible");
        MoveDecision unreachable = awaiting(MovePhase.BLOCKED, "ds-4 does not answer", "ds-4");

        BucketMoveStatus blocked = new MoveSight().after(soaking).status(unreachable, NINE);
        BucketMoveStatus completed = soaking(Duration.ofMinutes(20))
                .intent(Intent.COMPLETE)
                .after(soaking)
                .status(unreachable, NINE);

        assertThat(blocked.reversibleUntil()).isEqualTo(soaking.reversibleUntil());
        assertThat(completed.reversibleUntil()).isNull();
    }

    @Test
    void eventsTellTheReversalAndThatItWasDecidedAgainst() {
        Map<String, BucketMoveStatus> all = all();

        assertThat(events(all.get("01-reversible"), all.get("02-reversing")))
                .containsExactly("Reversing: Reversing: reversal was asked for");
        assertThat(events(all.get("02-reversing"), all.get("03-switching-the-second-bucket-back")))
                .isEmpty();
        assertThat(events(all.get("06-taken-back"), all.get("07-reversed")))
                .containsExactly("Reversed: Reversed: ds-0 owns buckets [3, 17] again");
        assertThat(events(all.get("reversal-taken-back"), all.get("reversal-taken-back-and-about-to-be-cleaned")))
                .hasSize(2)
                .last()
                .asString()
                .startsWith("ReversalAborted: ");
    }

    private static List<String> events(BucketMoveStatus before, BucketMoveStatus after) {
        List<String> events = new ArrayList<>();
        for (Transition one : MoveTransitions.between(before, after)) {
            events.add(one.reason() + ": " + one.message());
        }
        return events;
    }
}
