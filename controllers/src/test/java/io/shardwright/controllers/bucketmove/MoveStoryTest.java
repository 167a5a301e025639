package io.shardwright.controllers.bucketmove;

import static io.shardwright.controllers.bucketmove.MoveSight.EIGHT;
import static io.shardwright.controllers.bucketmove.MoveSight.act;
import static io.shardwright.controllers.bucketmove.MoveSight.verified;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.moves.MoveStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What history and events tell of a move: each change once, however often it is repeated. */
class MoveStoryTest {
    @Test
    void historyKeepsTheLastTwenty() {
        BucketMoveStatus status = MoveLife.ofAMove().get("02-validating");
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
        BucketMoveStatus status = MoveLife.ofAMove().get("04-ready-announced-and-patient");
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
    void aSwitchThatIsTriedForHoursIsBlockedOnce() {
        BucketMoveStatus status = MoveLife.ofAMove().get("06-switching-the-first-group");
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
        BucketMoveStatus status = MoveLife.ofAMove().get("09-cleaning-up-past-the-point-of-no-return");
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

    @Test
    void aPhaseThatNoRuleLeadsToIsMarked() {
        BucketMoveStatus restored = MoveLife.ofAMove().get("09-cleaning-up-past-the-point-of-no-return");

        BucketMoveStatus status = verified()
                .after(restored)
                .status(act(MovePhase.COPYING, MoveStep.PREPARE, "the copy was not finished"), EIGHT.plusSeconds(300));

        assertThat(status.history().get(status.history().size() - 1).evidence())
                .startsWith("the copy was not finished (no rule leads here from CleaningUp");
    }

    @Test
    void eventsTellPhasesAndTheFirstRouterThatHolds() {
        Map<String, BucketMoveStatus> life = MoveLife.ofAMove();

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

    private static BucketMoveStatus told(
            BucketMoveStatus before, MoveSight sight, MovePhase phase, List<String> events) {
        BucketMoveStatus next =
                sight.after(before).status(act(phase, MoveStep.GATE, "as planned"), EIGHT.plusSeconds(300));
        MoveTransitions.between(before, next).forEach(event -> events.add(event.message()));
        assertThat(next.phase()).isEqualTo(phase.wire());
        return next;
    }
}
