package io.shardwright.controllers.bucketmove;

import static io.shardwright.controllers.bucketmove.MoveSight.EIGHT;
import static io.shardwright.controllers.bucketmove.MoveSight.act;
import static io.shardwright.controllers.bucketmove.MoveSight.awaiting;
import static io.shardwright.controllers.bucketmove.MoveSight.verified;
import static io.shardwright.controllers.bucketmove.ReversalLife.LOST;
import static io.shardwright.controllers.bucketmove.ReversalLife.NINE;
import static io.shardwright.controllers.bucketmove.ReversalLife.back;
import static io.shardwright.controllers.bucketmove.ReversalLife.lost;
import static io.shardwright.controllers.bucketmove.ReversalLife.returned;
import static io.shardwright.controllers.bucketmove.ReversalLife.reversible;
import static io.shardwright.controllers.bucketmove.ReversalLife.soaking;
import static io.shardwright.controllers.world.MoveStatuses.condition;
import static io.shardwright.controllers.world.MoveStatuses.said;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.controllers.report.Transition;
import io.shardwright.controllers.world.Golden;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.bucketmove.BucketMoveSpec.Intent;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.planning.moves.MoveDecision;
import io.shardwright.planning.moves.MoveDecision.Done;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.moves.MoveStep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The status of a move that soaks, is paused, is reversed, or cannot be reversed any more. */
class ReversalStatusGoldenTest {
    private static final Golden GOLDEN = new Golden("BucketMoveReversal");

    private static Map<String, BucketMoveStatus> others() {
        Map<String, BucketMoveStatus> all = new LinkedHashMap<>();
        Map<String, BucketMoveStatus> life = ReversalLife.statuses();
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
        Map<String, BucketMoveStatus> life = ReversalLife.statuses();
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

    private static Map<String, BucketMoveStatus> all() {
        Map<String, BucketMoveStatus> all = ReversalLife.statuses();
        all.putAll(others());
        all.putAll(againstTheReversal());
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
    void aSoakThatGoesOnIsTheSameStatusAndOneThatBeginsAnewEndsLater() {
        BucketMoveStatus soaking = ReversalLife.statuses().get("01-reversible");

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
        BucketMoveStatus status = ReversalLife.statuses().get("03-switching-the-second-bucket-back");
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
        BucketMoveStatus back = ReversalLife.statuses().get("06-taken-back");
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

    @Test
    void thatTheWayBackIsLostIsToldOnceAndKeptOverAChangeOfLeader() {
        BucketMoveStatus soaking = ReversalLife.statuses().get("01-reversible");
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
        BucketMoveStatus soaking = ReversalLife.statuses().get("01-reversible");

        BucketMoveStatus unread = new MoveSight().after(soaking).status(reversible(), NINE);
        BucketMoveStatus byItsStream =
                new MoveSight().following().after(soaking).status(reversible(), NINE);

        assertThat(said(unread, ConditionType.REVERSIBLE)).isEqualTo("False WayBackOpening");
        assertThat(said(unread, ConditionType.WRITES_SWITCHED)).isEqualTo("True Switched");
        assertThat(said(byItsStream, ConditionType.REVERSIBLE)).isEqualTo("True Reversible");
    }

    @Test
    void aReversalKeepsThePromiseOfTheSoakAlsoWhenItWasDecidedAgainst() {
        String promised = ReversalLife.statuses().get("01-reversible").reversibleUntil();

        assertThat(ReversalLife.statuses()
                        .get("03-switching-the-second-bucket-back")
                        .reversibleUntil())
                .isEqualTo(promised);
        assertThat(againstTheReversal().get("reversal-taken-back").reversibleUntil())
                .isEqualTo(promised);
        assertThat(againstTheReversal()
                        .get("reversal-taken-back-and-about-to-be-cleaned")
                        .reversibleUntil())
                .isEqualTo(promised);
        assertThat(ReversalLife.statuses().get("07-reversed").reversibleUntil()).isNull();
    }

    @Test
    void thatAReversalBeginsOrRowsMayGoIsStoredBeforeTheStep() {
        Map<String, BucketMoveStatus> life = ReversalLife.statuses();

        assertThat(MoveFigures.proveTheSame(life.get("01-reversible"), life.get("02-reversing")))
                .isFalse();
        assertThat(MoveFigures.proveTheSame(
                        life.get("04-paused-with-one-bucket-back"), life.get("05-cleaning-up-the-target")))
                .isFalse();
        assertThat(MoveFigures.proveTheSame(life.get("02-reversing"), life.get("03-switching-the-second-bucket-back")))
                .isFalse();
    }

    @Test
    void aMoveThatStandsStillInItsSoakKeepsWhatWasPromised() {
        BucketMoveStatus soaking = ReversalLife.statuses().get("01-reversible");
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
