package io.shardwright.controllers.bucketmove;

import static io.shardwright.controllers.bucketmove.MoveSight.EIGHT;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.controllers.world.MoveStatuses;
import io.shardwright.crds.ClusterRef;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The soak that a move was promised. */
class LegTasksTest {
    private static final Duration FOLDED = Duration.ofMinutes(20);

    private static BucketMove move(Instant until) {
        BucketMove move = new BucketMove();
        move.setSpec(new BucketMoveSpec(
                new ClusterRef("orders"), "ds-0", "ds-4", List.of(3), null, null, BucketMoveSpec.Intent.RUN));
        String told = until == null ? null : until.toString();
        move.setStatus(MoveStatuses.soaking(told));
        return move;
    }

    private static Duration soak(Leg leg, Duration byPolicy, Instant until) {
        Task task = new Task(
                new UUID(0, 1), new UUID(0, 2), leg, "ds-0", "ds-4", new TreeSet<>(List.of(3)), 1, FOLDED, byPolicy);
        return LegTasks.asPromised(task, move(until), FOLDED, EIGHT).soak();
    }

    @Test
    void aPolicyThatIsChangedOrDeletedEndsNoSoakEarlierThanItWasTold() {
        assertThat(soak(Leg.THERE, Duration.ZERO, EIGHT.plusSeconds(2400))).isEqualTo(FOLDED.plusSeconds(2400));
        assertThat(soak(Leg.THERE, Duration.ofMinutes(30), EIGHT.plusSeconds(2400)))
                .isEqualTo(FOLDED.plusSeconds(2400));
    }

    @Test
    void aLongerSoakCountsAndAPromiseThatIsKeptIsOver() {
        assertThat(soak(Leg.THERE, Duration.ofHours(2), EIGHT.plusSeconds(2400)))
                .isEqualTo(Duration.ofHours(2));
        assertThat(soak(Leg.THERE, Duration.ofMinutes(20), EIGHT.minusSeconds(60)))
                .isEqualTo(Duration.ofMinutes(20));
        assertThat(soak(Leg.THERE, Duration.ofHours(1), null)).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void theWayBackHasNoSoak() {
        assertThat(soak(Leg.BACK, Duration.ZERO, EIGHT.plusSeconds(2400))).isZero();
    }

    @Test
    void aMoveBeforeItsFirstStatusWasPromisedNothing() {
        BucketMove fresh = move(null);
        fresh.setStatus(null);
        Task task = new Task(
                new UUID(0, 1),
                new UUID(0, 2),
                Leg.THERE,
                "ds-0",
                "ds-4",
                new TreeSet<>(List.of(3)),
                1,
                FOLDED,
                Duration.ofHours(1));

        assertThat(LegTasks.asPromised(task, fresh, Duration.ZERO, EIGHT)).isSameAs(task);
    }
}
