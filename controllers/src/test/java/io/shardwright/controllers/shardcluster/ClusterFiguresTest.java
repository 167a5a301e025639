package io.shardwright.controllers.shardcluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterFiguresTest {
    private static BucketMove move(String phase, String history) {
        return Serialization.unmarshal(
                "metadata: {uid: uid-%s}\nstatus: {phase: %s, history: [%s]}".formatted(phase, phase, history),
                BucketMove.class);
    }

    private static String to(String phase, int minute) {
        return "{at: '2026-03-01T08:%02d:00Z', to: %s}".formatted(minute, phase);
    }

    @Test
    void countsABlockedMoveFromItsHistoryBecauseThePhaseLeavesBlockedAtEveryTry() {
        BucketMove tried = move("Switching", to("Ready", 1) + "," + to("Blocked", 5));
        BucketMove later = move("Blocked", to("Blocked", 9));

        assertThat(ClusterFigures.blockedSince(List.of(later, tried))).contains(Instant.parse("2026-03-01T08:05:00Z"));
    }

    @Test
    void countsNoMoveThatWentOnOrEndedOrNeverBegan() {
        BucketMove wentOn = move("Copying", to("Blocked", 5) + "," + to("Copying", 6));
        BucketMove ended = move("Aborted", to("Blocked", 5) + "," + to("Aborted", 6));

        assertThat(ClusterFigures.blockedSince(List.of(wentOn, ended, new BucketMove())))
                .isEmpty();
    }

    @Test
    void findsTheMovesThatAskSomebodyForSomethingInWhateverPhase() {
        BucketMove gate = move("Ready", to("Ready", 5));
        gate.setStatus(asking(gate, "end the transaction"));
        BucketMove ended = move("Failed", to("Failed", 5));
        ended.setStatus(asking(ended, "make a new move"));

        assertThat(ClusterFigures.asking(List.of(gate, ended, move("Copying", to("Copying", 1)), new BucketMove())))
                .containsExactly("uid-Ready");
    }

    private static BucketMoveStatus asking(BucketMove move, String nextAction) {
        return Serialization.unmarshal(
                Serialization.asYaml(move.getStatus()) + "nextAction: " + nextAction, BucketMoveStatus.class);
    }
}
