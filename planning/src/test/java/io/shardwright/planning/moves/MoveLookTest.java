package io.shardwright.planning.moves;

import static io.shardwright.planning.moves.MoveFault.Kind.DIVERGED;
import static io.shardwright.planning.moves.MoveFault.Kind.UNREACHABLE;
import static io.shardwright.planning.moves.Saying.of;
import static io.shardwright.planning.moves.Sight.SHUT;
import static io.shardwright.planning.moves.Sight.aMove;
import static io.shardwright.planning.moves.Sight.aSoakingMove;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.moves.MoveObservation.Intent;
import io.shardwright.planning.moves.MoveObservation.Stage;
import io.shardwright.routing.FenceState;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** When the fence rows are looked at again beside a fault: a failover is noticed whatever keeps the move. */
class MoveLookTest {
    private static final int ASK = FaultChecks.COPIES_AGAIN + 1;

    static List<Saying> besideWorkThatHasFailed() {
        return List.of(
                of("rows that are young are not read again", differing(29).truthAge(29), "Blocked: wait"),
                of(
                        "what failed after the rows were read may have changed them",
                        differing(30).truthAge(30),
                        "Blocked: wait, aside OBSERVE [3, 17]"),
                of(
                        "rows that were read since are good while it cools down",
                        differing(59).truthAge(30),
                        "Blocked: wait"),
                of(
                        "and are read again when nothing is tried after that",
                        differing(60).truthAge(30),
                        "Blocked: wait, aside OBSERVE [3, 17]"),
                of(
                        "also in the hours in which a person is waited for",
                        differing(7200).truthAge(30),
                        "Blocked: wait, aside OBSERVE [3, 17]"),
                of(
                        "the wait says the same meanwhile",
                        differing(60).truthAge(30).running(MoveStep.OBSERVE),
                        "Blocked: wait"),
                of(
                        "nothing is tried on rows that are old",
                        blocked().fault(UNREACHABLE, true, 2).truthAge(30),
                        "Blocked: wait, aside OBSERVE [3, 17]"));
    }

    static List<Saying> whenTheLookItselfHasFailed() {
        return List.of(
                of(
                        "it rests until its fault has cooled down",
                        blocked().lookFailed(1).truthAge(90),
                        "Blocked: wait"),
                of(
                        "then it is repeated, and no other step is taken",
                        blocked().lookFailed(2).truthAge(90),
                        "Blocked: wait, aside OBSERVE [3, 17]"),
                of(
                        "it hides what failed before, which it cannot cure",
                        differing(300).lookFailed(1).truthAge(90),
                        "Blocked: wait"),
                of(
                        "also while a soak goes on",
                        aSoakingMove(Duration.ZERO).lookFailed(2).truthAge(90),
                        "Reversible: wait, aside OBSERVE [3, 17]"),
                of(
                        "also while routers are waited for",
                        aMove().announcedAcks(SHUT).lookFailed(1).truthAge(90),
                        "Blocked: wait"));
    }

    /** One change of phase for as long as a shard is down, and one when it is back. */
    static List<Saying> whileAShardIsDownInTheSoak() {
        return List.of(
                of("stays blocked while the look cools down", blockedSoak().lookFailed(1), "Blocked: wait"),
                of("when it has cooled down", blockedSoak().lookFailed(2), "Blocked: wait, aside OBSERVE [3, 17]"),
                of(
                        "also on rows that are not due yet",
                        blockedSoak().lookFailed(2).truthAge(10),
                        "Blocked: wait"),
                of("while it is looked again", blockedSoak().lookFailed(2).lookingAgain(), "Blocked: wait"),
                of(
                        "also when it is paused",
                        blockedSoak().lookFailed(2).wanted(Intent.PAUSE),
                        "Blocked: wait, aside OBSERVE [3, 17]"),
                of(
                        "also before the switch, while routers are waited for",
                        blocked().announcedAcks(SHUT).lookFailed(2).truthAge(90),
                        "Blocked: wait, aside OBSERVE [3, 17]"),
                of("and soaks on when the rows are read", blockedSoak().truthAge(0), "Reversible: wait"));
    }

    private static Sight blockedSoak() {
        return aSoakingMove(Duration.ZERO).stored(MovePhase.BLOCKED).truthAge(90);
    }

    private static Sight blocked() {
        return aMove().stored(MovePhase.BLOCKED);
    }

    /** Copied three times, and both sides differ: only a person helps. */
    private static Sight differing(int ageSeconds) {
        return blocked().stage(Stage.IN_SYNC).fault(DIVERGED, true, ageSeconds, ASK);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"besideWorkThatHasFailed", "whenTheLookItselfHasFailed", "whileAShardIsDownInTheSoak"})
    void decides(Saying saying) {
        saying.holds();
    }

    @Test
    void theWordsAreThoseOfTheNewestFault() {
        assertThat(differing(300).lookFailed(1).truthAge(90).plan().reason()).isEqualTo("saw UNREACHABLE");
        assertThat(differing(300).truthAge(1).plan().reason()).contains("3 copies in a row");
    }

    @Test
    void theWordsStayThoseOfTheLookUntilTheRowsAreRead() {
        assertThat(Stream.of(
                                blockedSoak().lookFailed(1),
                                blockedSoak().lookFailed(2).truthAge(10),
                                blockedSoak().lookFailed(2).lookingAgain())
                        .map(sight -> sight.plan().reason()))
                .containsOnly("saw UNREACHABLE");
    }

    @Test
    void whatTheRowsSayIsToldWhateverFails() {
        assertThat(Stream.of(
                                twoOwners().lookFailed(1),
                                twoOwners().lookFailed(2).lookingAgain(),
                                twoOwners().fault(UNREACHABLE, true, 60).retrying(MoveStep.PREPARE))
                        .map(MoveLookTest::told))
                .allMatch(reason -> reason.startsWith("both shards own buckets [3]"));
    }

    /** What the status says, whatever is done beside it. */
    private static String told(Sight sight) {
        MoveDecision decision = sight.plan();
        return decision instanceof MoveDecision.Aside aside
                ? aside.shown().orElseThrow().reason()
                : decision.reason();
    }

    private static Sight twoOwners() {
        return blocked().pair(3, FenceState.OWNED, 7, FenceState.OWNED, 8);
    }
}
