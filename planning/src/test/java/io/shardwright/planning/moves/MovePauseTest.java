package io.shardwright.planning.moves;

import static io.shardwright.planning.moves.Sight.aMove;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.routing.FenceState;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A bucket that nobody can write is not kept waiting by failures of the past: its shard may have come back meanwhile. */
class MovePauseTest {
    private static final int OFTEN = 10;

    record Case(String name, Sight sight) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Case> nobodyMayWrite() {
        return List.of(
                new Case(
                        "decided against, the source is down",
                        aborting().pair(3, FenceState.MOVED, 8, FenceState.ABORTED, 7)),
                new Case("the target has lost its row", aborting().targetLost(3)),
                new Case("an abort between fence and activation", aborting().fenced(3)),
                new Case(
                        "an abort that could not look since the switch",
                        aborting().unseenSince(60)),
                new Case(
                        "a switch that could not look afterwards",
                        aMove().stored(MovePhase.SWITCHING).unseenSince(60)),
                new Case(
                        "the same, said already",
                        aMove().stored(MovePhase.BLOCKED).unseenSince(60)),
                new Case(
                        "a new leader after a switch",
                        aMove().stored(MovePhase.SWITCHING).unreadable()),
                new Case(
                        "a new leader, and Blocked says nothing of the fence",
                        aMove().stored(MovePhase.BLOCKED).unreadable()));
    }

    private static Sight aborting() {
        return aMove().stored(MovePhase.ABORTING);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("nobodyMayWrite")
    void isTriedEveryTwoSecondsHoweverOftenItFailed(Case example) {
        MoveDecision waits = example.sight()
                .fault(MoveFault.Kind.UNREACHABLE, true, 1, OFTEN)
                .plan();
        MoveDecision tries = example.sight()
                .fault(MoveFault.Kind.UNREACHABLE, true, 2, OFTEN)
                .plan();

        assertThat(waits)
                .isInstanceOfSatisfying(
                        MoveDecision.Wait.class,
                        wait -> assertThat(wait.until()).contains(Sight.NOW.plusSeconds(1)));
        assertThat(waits.phase()).isIn(MovePhase.BLOCKED, MovePhase.ABORTING);
        assertThat(takesAStep(tries)).isTrue();
    }

    static Stream<Case> somebodyCanWrite() {
        return Stream.of(
                new Case(
                        "nothing has begun",
                        aMove().stored(MovePhase.VALIDATING).unreadable()),
                new Case(
                        "a copy that nobody was told of",
                        aMove().unseenSince(60).announced()),
                new Case("the fence rows were read after the fault", aMove()),
                new Case("an abort before the fence", aborting().announced().unseenSince(60)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("somebodyCanWrite")
    void isTriedOncePerMinuteWhenTheSourceOwnsTheBuckets(Case example) {
        MoveDecision waits = example.sight()
                .fault(MoveFault.Kind.UNREACHABLE, true, 59, OFTEN)
                .plan();

        assertThat(waits)
                .isInstanceOfSatisfying(
                        MoveDecision.Wait.class,
                        wait -> assertThat(wait.until()).contains(Sight.NOW.plus(Duration.ofSeconds(1))));
    }

    private static boolean takesAStep(MoveDecision decision) {
        return decision instanceof MoveDecision.Act
                || decision instanceof MoveDecision.Aside aside && aside.step().isPresent();
    }
}
