package io.shardwright.planning.moves;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.Task;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.List;
import java.util.SortedSet;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a move is and where it stands, in the words of its object. */
class MovePhaseTest {
    @Test
    void everyPhaseIsReadAsItIsWritten() {
        for (MovePhase phase : MovePhase.values()) {
            assertThat(MovePhase.fromWire(phase.wire())).isEqualTo(phase);
        }
        assertThatThrownBy(() -> MovePhase.fromWire("Copied")).hasMessage("no such phase: Copied");
    }

    @Test
    void aMoveIsCutIntoGroupsInAscendingOrder() {
        assertThat(groups(7, 3)).containsExactly(set(0, 3), set(3, 6), set(6, 7));
        assertThat(groups(6, 3)).containsExactly(set(0, 3), set(3, 6));
        assertThat(groups(2, 16)).containsExactly(set(0, 2));
    }

    private static List<SortedSet<Scope>> groups(int buckets, int switchGroup) {
        return new Task(
                        new UUID(1, 1),
                        new UUID(3, 3),
                        Leg.THERE,
                        "ds-0",
                        "ds-4",
                        set(0, buckets),
                        switchGroup,
                        Duration.ZERO,
                        Duration.ZERO)
                .groups();
    }

    private static SortedSet<Scope> set(int from, int to) {
        return Scope.buckets(IntStream.range(from, to).boxed().toList());
    }
}
