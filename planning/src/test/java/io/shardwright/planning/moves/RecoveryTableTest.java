package io.shardwright.planning.moves;

import static io.shardwright.planning.moves.RecoveryAction.ACTIVATE;
import static io.shardwright.planning.moves.RecoveryAction.BEGIN;
import static io.shardwright.planning.moves.RecoveryAction.BLOCK;
import static io.shardwright.planning.moves.RecoveryAction.CARRY_ON;
import static io.shardwright.planning.moves.RecoveryAction.FINISH_ABORT;
import static io.shardwright.planning.moves.RecoveryAction.FREEZE;
import static io.shardwright.planning.moves.RecoveryAction.NOT_OWNER;
import static io.shardwright.planning.moves.RecoveryAction.PUBLISH;
import static io.shardwright.planning.moves.RecoveryAction.RECLAIM;
import static io.shardwright.planning.moves.RecoveryAction.REVOKE;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RecoveryTableTest {
    private static final UUID OURS = new UUID(1, 1);
    private static final UUID OTHER = new UUID(2, 2);
    private static final RecoveryTable TABLE = new RecoveryTable(OURS);

    private static final Optional<FenceRow> ABSENT = Optional.empty();

    static List<Arguments> rows() {
        return List.of(
                row("nothing has begun", owned(7, OTHER), ABSENT, BEGIN),
                row("an older tombstone on the target", owned(7, OTHER), moved(4, OTHER), BEGIN),
                row("back where it came from", owned(7, OTHER), moved(7, OTHER), BEGIN),
                row("leftovers of another aborted move", owned(7, OTHER), aborted(3, OTHER), BEGIN),
                row("being filled", owned(7, OTHER), importing(7, OURS), CARRY_ON),
                row("decided against before the fence", owned(7, OTHER), aborted(7, OURS), FINISH_ABORT),
                row("decided against, epoch raised", owned(9, OURS), aborted(7, OURS), FINISH_ABORT),
                row("fenced, not activated", moved(8, OURS), importing(7, OURS), ACTIVATE),
                row("decided against after the fence", moved(8, OURS), aborted(7, OURS), RECLAIM),
                row("activated", moved(8, OURS), owned(8, OURS), PUBLISH),
                row("fenced, target lost IMPORTING", moved(8, OURS), ABSENT, REVOKE),
                row("fenced, target shows an older tombstone", moved(8, OURS), moved(4, OTHER), REVOKE),
                row("fenced, target shows an older abort", moved(8, OURS), aborted(3, OTHER), REVOKE),
                row(
                        "fenced long ago, a later move to the target was aborted",
                        moved(8, OURS),
                        aborted(9, OTHER),
                        BLOCK),
                row("fenced long ago, the target gave it on", moved(8, OURS), moved(9, OTHER), BLOCK),
                row("two owners", owned(7, OTHER), owned(8, OURS), FREEZE),
                row("two owners, not by us", owned(7, OTHER), owned(5, OTHER), FREEZE),
                row("never owned by the source", ABSENT, ABSENT, NOT_OWNER),
                row("moved away by another move", moved(8, OTHER), owned(8, OTHER), NOT_OWNER),
                row("the source is being filled", importing(7, OTHER), owned(7, OTHER), NOT_OWNER),
                row("the source was aborted", aborted(7, OTHER), ABSENT, NOT_OWNER),
                row("a tombstone newer than the owner", owned(7, OTHER), moved(8, OTHER), BLOCK),
                row("fenced, a tombstone as new on the target", moved(8, OURS), moved(8, OTHER), BLOCK),
                row("our own tombstone on the target", owned(7, OTHER), moved(4, OURS), BLOCK),
                row("another move fills the target", owned(7, OTHER), importing(7, OTHER), BLOCK),
                row("filled at another epoch", owned(9, OTHER), importing(7, OURS), BLOCK),
                row("activated at another epoch", moved(8, OURS), owned(9, OURS), BLOCK),
                row("target owned by somebody else", moved(8, OURS), owned(8, OTHER), BLOCK),
                row("fenced at another epoch", moved(9, OURS), importing(7, OURS), BLOCK),
                row("source never owned what we fill", ABSENT, importing(7, OURS), BLOCK),
                row("source lost the fence row of what we own", ABSENT, owned(8, OURS), BLOCK),
                row("fenced by another move while we fill", moved(8, OTHER), importing(7, OURS), BLOCK));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void decides(String name, Optional<FenceRow> source, Optional<FenceRow> target, RecoveryAction action) {
        assertThat(TABLE.decide(source, target)).isEqualTo(action);
    }

    /** All pairs of states, moves and epochs: one action each, and none that could make a second owner. */
    @Test
    void everyPairHasOneActionThatIsSafe() {
        Map<RecoveryAction, Integer> seen = new LinkedHashMap<>();
        for (Optional<FenceRow> source : allRows()) {
            for (Optional<FenceRow> target : allRows()) {
                RecoveryAction action = TABLE.decide(source, target);
                seen.merge(action, 1, Integer::sum);
                String pair = source + " and " + target;
                if (action == ACTIVATE) {
                    assertThat(owns(source)).as(pair).isFalse();
                }
                if (action == RECLAIM || action == REVOKE) {
                    assertThat(owns(target) || importingByUs(target)).as(pair).isFalse();
                }
                if (action == PUBLISH) {
                    assertThat(owns(target) && !owns(source)).as(pair).isTrue();
                }
                if (owns(source) && owns(target)) {
                    assertThat(action).as(pair).isEqualTo(FREEZE);
                }
            }
        }
        assertThat(seen.keySet()).containsExactlyInAnyOrder(RecoveryAction.values());
    }

    private static List<Optional<FenceRow>> allRows() {
        List<Optional<FenceRow>> rows = new ArrayList<>(List.of(ABSENT));
        for (FenceState state : FenceState.values()) {
            for (long epoch = 1; epoch <= 4; epoch++) {
                rows.add(row(state, epoch, OURS));
                rows.add(row(state, epoch, OTHER));
                rows.add(Optional.of(new FenceRow(17, state, epoch, null, null)));
            }
        }
        return rows;
    }

    private static boolean owns(Optional<FenceRow> row) {
        return row.isPresent() && row.get().state() == FenceState.OWNED;
    }

    private static boolean importingByUs(Optional<FenceRow> row) {
        return row.isPresent()
                && row.get().state() == FenceState.IMPORTING
                && OURS.equals(row.get().moveId());
    }

    private static Arguments row(
            String name, Optional<FenceRow> source, Optional<FenceRow> target, RecoveryAction action) {
        return Arguments.of(name, source, target, action);
    }

    private static Optional<FenceRow> row(FenceState state, long epoch, UUID move) {
        return Optional.of(new FenceRow(17, state, epoch, "ds-9", move));
    }

    private static Optional<FenceRow> owned(long epoch, UUID move) {
        return row(FenceState.OWNED, epoch, move);
    }

    private static Optional<FenceRow> moved(long epoch, UUID move) {
        return row(FenceState.MOVED, epoch, move);
    }

    private static Optional<FenceRow> importing(long epoch, UUID move) {
        return row(FenceState.IMPORTING, epoch, move);
    }

    private static Optional<FenceRow> aborted(long epoch, UUID move) {
        return row(FenceState.ABORTED, epoch, move);
    }
}
