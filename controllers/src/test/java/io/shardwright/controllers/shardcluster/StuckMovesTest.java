package io.shardwright.controllers.shardcluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.controllers.world.Golden;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** As the golden files of moves have it. */
    private static BucketMove shows(String scenario) {
        BucketMove move = new BucketMove();
        move.getMetadata().setUid(scenario);
        move.setStatus(Serialization.unmarshal(Golden.text("BucketMove" + scenario), BucketMoveStatus.class));
        return move;
    }

    @ParameterizedTest
    @CsvSource({
        "Reversal/01-reversible, to switch back: kubectl patch",
        "Reversal/deleted-in-the-soak, the object goes when the move has ended",
        "Reversal/way-back-lost, to end the soak now: kubectl patch",
        "Reversal/paused-in-the-soak, to go on: kubectl patch",
        "Reversal/04-paused-with-one-bucket-back, to go on: kubectl patch",
        "/pending-outside-of-the-windows, wait until 2026-03-01T17:00:00Z",
        "/ready-in-a-freeze, wait until 2026-03-10T00:00:00Z",
        "/soaked-and-waiting-for-its-window, wait until 2026-03-01T17:00:00Z",
    })
    void countsNoMoveThatStandsStillBecausePeopleWantItHoweverLong(String scenario, String whatOneMayDo) {
        BucketMove move = shows(scenario);
        assertThat(move.getStatus().nextAction()).contains(whatOneMayDo);

        for (int minute : List.of(10, 11, 59)) {
            assertThat(heldAt(minute, move)).isEmpty();
            assertThat(blockedAt(minute, move)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/05-ready-held-by-a-silent-router",
                "/07-blocked-by-a-changed-schema-after-one-of-two",
                "/refused-without-a-cluster",
                "/ready-and-its-windows-cannot-be-obeyed",
                "Reversal/way-back-lost-and-reversal-wanted",
            })
    void countsAMoveThatNeedsSomebody(String scenario) {
        assertThat(heldAt(10, shows(scenario))).contains(eight(10));
    }

    private static BucketMove waits(String phase, String kind) {
        return move(
                phase,
                to(phase, 1)
                        + "], nextAction: 'see blockedBy', blockedBy: [{kind: %s, name: a, reason: b}".formatted(kind));
    }

    @Test
    void countsAMoveThatRoutersKeepFromItsCleanupAfterTheSoak() {
        assertThat(heldAt(6, waits("Reversible", "Router"))).contains(eight(6));
    }

    @Test
    void countsNoAbortThatCameTooLateForTheMoveEndsByItself() {
        BucketMove cleaning =
                move("CleaningUp", to("CleaningUp", 1) + "], nextAction: 'it ends by itself', blockedBy: [");

        assertThat(heldAt(6, cleaning)).isEmpty();
    }

    @Test
    void countsNoMoveWhoseClusterSomebodyHasSuspended() {
        BucketMove suspended = waits("Blocked", "ShardCluster");

        assertThat(blockedAt(9, suspended)).isEmpty();
        assertThat(heldAt(9, suspended)).isEmpty();
        assertThat(blockedAt(9, waits("Blocked", "Session"))).contains(eight(1));
    }

    @Test
    void endsTheCountOfABlockedMoveThatSomebodyPauses() {
        BucketMove paused = move("Paused", to("Blocked", 1) + "," + to("Paused", 8));

        assertThat(blockedAt(9, paused)).as("it may be a try").contains(eight(1));
        assertThat(blockedAt(10, paused)).isEmpty();
    }
}
