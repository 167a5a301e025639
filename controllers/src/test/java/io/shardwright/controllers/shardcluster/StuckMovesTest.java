package io.shardwright.controllers.shardcluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.crds.bucketmove.BucketMove;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StuckMovesTest {
    private final StuckMoves stuck = new StuckMoves();

    private static BucketMove move(String phase, String history) {
        return Serialization.unmarshal(
                "metadata: {uid: the-move}\nstatus: {phase: %s, history: [%s]}".formatted(phase, history),
                BucketMove.class);
    }

    private static String to(String phase, int minute) {
        return "{at: '2026-03-01T08:%02d:00Z', to: %s}".formatted(minute, phase);
    }

    private Optional<Instant> blockedAt(int minute, BucketMove... moves) {
        return stuck.blockedSince(List.of(moves), eight(minute));
    }

    private static Instant eight(int minute) {
        return Instant.parse("2026-03-01T08:%02d:00Z".formatted(minute));
    }

    @Test
    void countsABlockedMoveFromItsFirstBlockThroughAllTries() {
        BucketMove tried = move(
                "Copying",
                String.join(",", to("Copying", 1), to("Blocked", 5), to("Preparing", 6), to("Copying", 6)) + ","
                        + String.join(",", to("Blocked", 7), to("Copying", 8)));
        BucketMove later = move("Blocked", to("Blocked", 9));

        assertThat(blockedAt(9, later, tried)).contains(eight(5));
        assertThat(blockedAt(10, tried)).isEmpty();
    }

    @Test
    void countsAMoveThatIsBlockedAgainAfterItHadGoneOnFromTheSecondTime() {
        assertThat(blockedAt(
                        9, move("Blocked", String.join(",", to("Blocked", 1), to("Copying", 2), to("Blocked", 4)))))
                .contains(eight(4));
    }

    @Test
    void countsAMoveWhoseHistoryKeepsSilentAboutItsTries() {
        assertThat(blockedAt(59, move("Switching", to("Ready", 1) + "," + to("Blocked", 5))))
                .contains(eight(5));
    }

    @Test
    void countsNoMoveThatWentOnOrEndedOrNeverBegan() {
        BucketMove wentOn = move("CatchingUp", to("Blocked", 5) + "," + to("Copying", 6) + "," + to("CatchingUp", 8));
        BucketMove ended = move("Aborted", to("Blocked", 5) + "," + to("Aborted", 8));

        assertThat(blockedAt(8, wentOn, ended, new BucketMove())).isEmpty();
    }

    private Optional<Instant> heldAt(int minute, BucketMove... moves) {
        return stuck.heldSince(List.of(moves), eight(minute));
    }

    private static BucketMove asks(String phase) {
        return move(phase, to("Ready", 1) + "], nextAction: 'end the transaction', blockedBy: [");
    }

    @Test
    void countsAMoveThatAsksForSomethingInWhateverPhaseAndThroughItsTries() {
        BucketMove silent = move("Ready", to("Ready", 1));

        assertThat(heldAt(5, silent)).isEmpty();
        assertThat(heldAt(6, asks("Ready"))).contains(eight(6));
        assertThat(heldAt(7, silent)).contains(eight(6));
        assertThat(heldAt(8, asks("Ready"))).contains(eight(6));
        assertThat(heldAt(10, silent)).isEmpty();
        assertThat(heldAt(11, asks("Ready"))).contains(eight(11));
    }

    @Test
    void countsNoMoveThatEndedWhateverItAsksFor() {
        assertThat(heldAt(6, asks("Ready"))).contains(eight(6));
        assertThat(heldAt(6, asks("Failed"), new BucketMove())).isEmpty();
        assertThat(heldAt(6)).isEmpty();
    }
}
