package io.shardwright.planning.moves;

import static io.shardwright.planning.moves.RecoveryAction.ACTIVATE;
import static io.shardwright.planning.moves.RecoveryAction.BEGIN;
import static io.shardwright.planning.moves.RecoveryAction.BLOCK;
import static io.shardwright.planning.moves.RecoveryAction.CARRY_ON;
import static io.shardwright.planning.moves.RecoveryAction.FINISH_ABORT;
import static io.shardwright.planning.moves.RecoveryAction.FREEZE;
import static io.shardwright.planning.moves.RecoveryAction.KEPT;
import static io.shardwright.planning.moves.RecoveryAction.NOT_OWNER;
import static io.shardwright.planning.moves.RecoveryAction.PUBLISH;
import static io.shardwright.planning.moves.RecoveryAction.RECLAIM;
import static io.shardwright.planning.moves.RecoveryAction.REVOKE;
import static io.shardwright.planning.moves.RecoveryAction.STAYED;
import static io.shardwright.planning.moves.RecoveryAction.TAKEN_BACK;
import static io.shardwright.planning.moves.RecoveryAction.TAKE_BACK;
import static io.shardwright.planning.moves.RecoveryAction.UNFINISHED;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.Task;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RecoveryTableTest {
    private static final UUID OURS = new UUID(1, 1);
    private static final UUID OTHER = new UUID(2, 2);
    private static final UUID REVERSAL = new UUID(3, 3);
    private static final RecoveryTable THERE = new RecoveryTable(task(OURS, REVERSAL, Leg.THERE));
    private static final RecoveryTable BACK = new RecoveryTable(task(REVERSAL, OURS, Leg.BACK));

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
                row(
                        "the target was demoted after the source had its bucket back",
                        owned(9, OURS),
                        moved(9, OURS),
                        FINISH_ABORT),
                row("the target has forgotten that it was aborted", owned(9, OURS), importing(7, OURS), FINISH_ABORT),
                row("never owned by the source", ABSENT, ABSENT, NOT_OWNER),
                row("moved away by another move", moved(8, OTHER), owned(8, OTHER), NOT_OWNER),
                row("the source is being filled", importing(7, OTHER), owned(7, OTHER), NOT_OWNER),
                row("the source was aborted", aborted(7, OTHER), ABSENT, NOT_OWNER),
                row("a tombstone newer than the owner", owned(7, OTHER), moved(8, OTHER), BLOCK),
                row("fenced, a tombstone as new on the target", moved(8, OURS), moved(8, OTHER), BLOCK),
                row("our own tombstone on the target", owned(7, OTHER), moved(4, OURS), BLOCK),
                row("our own tombstone on the target, of another epoch", owned(9, OURS), moved(8, OURS), BLOCK),
                row("being filled at a later epoch than the owner's", owned(7, OURS), importing(9, OURS), BLOCK),
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
        assertThat(THERE.decide(source, target)).isEqualTo(action);
    }

    /** Rows as they lie on source and target of the way there, and what each leg makes of them. */
    static List<Arguments> rowsOfAReversal() {
        return List.of(
                pair("not begun", moved(8, OURS), owned(8, OURS), PUBLISH, BEGIN),
                pair("begun", importing(8, REVERSAL), owned(8, OURS), TAKE_BACK, CARRY_ON),
                pair("fenced", importing(8, REVERSAL), moved(9, REVERSAL), TAKE_BACK, ACTIVATE),
                pair("decided against, fenced", aborted(8, REVERSAL), moved(9, REVERSAL), TAKE_BACK, RECLAIM),
                pair("decided against, not fenced", aborted(8, REVERSAL), owned(8, OURS), TAKE_BACK, FINISH_ABORT),
                pair("decided against, reclaimed", aborted(8, REVERSAL), owned(10, REVERSAL), TAKE_BACK, FINISH_ABORT),
                pair("the tombstone in its place again", moved(10, OURS), owned(10, REVERSAL), PUBLISH, KEPT),
                pair("fenced, its row lost in a failover", moved(8, OURS), moved(9, REVERSAL), TAKE_BACK, REVOKE),
                pair("fenced, no row at all", ABSENT, moved(9, REVERSAL), TAKE_BACK, REVOKE),
                pair("taken back", owned(9, REVERSAL), moved(9, REVERSAL), TAKEN_BACK, PUBLISH),
                pair("taken back, the fence lost: two owners", owned(9, REVERSAL), owned(8, OURS), FREEZE, FREEZE),
                pair("the source was demoted: taken back", owned(9, REVERSAL), moved(9, REVERSAL), TAKEN_BACK, PUBLISH),
                pair("kept, and S was demoted", moved(10, REVERSAL), owned(10, REVERSAL), TAKE_BACK, FINISH_ABORT),
                pair(
                        "kept, and S has forgotten it",
                        importing(8, REVERSAL),
                        owned(10, REVERSAL),
                        TAKE_BACK,
                        FINISH_ABORT),
                pair("two owners by the way there", owned(7, OTHER), owned(8, OURS), FREEZE, FREEZE),
                pair("never moved", owned(9, OURS), aborted(7, OURS), FINISH_ABORT, STAYED),
                pair("not begun there", owned(7, OTHER), ABSENT, BEGIN, STAYED),
                pair("still being filled there", owned(7, OTHER), importing(7, OURS), CARRY_ON, STAYED),
                pair("the way there has lost its activation", moved(8, OURS), importing(7, OURS), ACTIVATE, UNFINISHED),
                pair("the way there decided against it", moved(8, OURS), aborted(7, OURS), RECLAIM, UNFINISHED),
                pair("the way there lost its row", moved(8, OURS), ABSENT, REVOKE, UNFINISHED),
                pair("the reclaim is lost", moved(10, OURS), moved(9, REVERSAL), BLOCK, BLOCK),
                pair("a tombstone of another epoch", moved(8, OURS), owned(10, REVERSAL), BLOCK, BLOCK),
                pair("no tombstone", ABSENT, owned(10, REVERSAL), BLOCK, BLOCK),
                pair("somebody else's tombstone", moved(10, OTHER), owned(10, REVERSAL), BLOCK, BLOCK),
                pair(
                        "the way there has lost what is taken back",
                        importing(8, REVERSAL),
                        importing(7, OURS),
                        BLOCK,
                        BLOCK),
                pair("begun at another epoch", importing(7, REVERSAL), owned(8, OURS), BLOCK, BLOCK),
                pair("fenced at another epoch", importing(8, REVERSAL), moved(10, REVERSAL), BLOCK, BLOCK),
                pair("taken back at another epoch", owned(10, REVERSAL), moved(9, REVERSAL), BLOCK, BLOCK),
                pair("given on by the target", moved(8, OURS), moved(9, OTHER), BLOCK, BLOCK),
                pair("nobody ever owned it", ABSENT, ABSENT, NOT_OWNER, BLOCK));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rowsOfAReversal")
    void decidesForBothLegs(
            String name,
            Optional<FenceRow> source,
            Optional<FenceRow> target,
            RecoveryAction there,
            RecoveryAction back) {
        assertThat(THERE.decide(source, target)).as("the way there").isEqualTo(there);
        assertThat(BACK.decide(target, source)).as("the way back").isEqualTo(back);
    }

    /** All pairs of states, moves and epochs: one action each, and none that could make a second owner. */
    @Test
    void everyPairHasOneActionThatIsSafe() {
        Set<RecoveryAction> seen = EnumSet.noneOf(RecoveryAction.class);
        for (Optional<FenceRow> source : allRows()) {
            for (Optional<FenceRow> target : allRows()) {
                RecoveryAction there = THERE.decide(source, target);
                RecoveryAction back = BACK.decide(target, source);
                seen.addAll(EnumSet.of(there, back));
                String pair = source + " and " + target;
                assertSafe(pair, there, source, target, OURS);
                assertSafe(pair, back, target, source, REVERSAL);
                assertThat(answers(there) && answers(back))
                        .as("both legs would act on " + pair)
                        .isFalse();
                assertThat(there == TAKEN_BACK).as(pair).isEqualTo(back == PUBLISH);
            }
        }
        assertThat(seen).containsExactlyInAnyOrder(RecoveryAction.values());
    }

    /** A bucket between two owners is the matter of one leg only. */
    private static boolean answers(RecoveryAction action) {
        return action == CARRY_ON
                || action == ACTIVATE
                || action == FINISH_ABORT
                || action == RECLAIM
                || action == REVOKE;
    }

    private static void assertSafe(
            String pair, RecoveryAction action, Optional<FenceRow> source, Optional<FenceRow> target, UUID leg) {
        if (action == ACTIVATE) {
            assertThat(owns(source)).as(pair).isFalse();
        }
        if (action == RECLAIM || action == REVOKE) {
            assertThat(owns(target) || importingBy(leg, target)).as(pair).isFalse();
        }
        if (action == PUBLISH) {
            assertThat(owns(target) && !owns(source)).as(pair).isTrue();
        }
        if (owns(source) && owns(target)) {
            assertThat(action).as(pair).isEqualTo(FREEZE);
        }
    }

    private static List<Optional<FenceRow>> allRows() {
        List<Optional<FenceRow>> rows = new ArrayList<>(List.of(ABSENT));
        for (FenceState state : FenceState.values()) {
            for (long epoch = 1; epoch <= 4; epoch++) {
                rows.add(row(state, epoch, OURS));
                rows.add(row(state, epoch, REVERSAL));
                rows.add(row(state, epoch, OTHER));
                rows.add(Optional.of(new FenceRow(17, state, epoch, null, null)));
            }
        }
        return rows;
    }

    private static boolean owns(Optional<FenceRow> row) {
        return row.isPresent() && row.get().state() == FenceState.OWNED;
    }

    private static boolean importingBy(UUID leg, Optional<FenceRow> row) {
        return row.isPresent()
                && row.get().state() == FenceState.IMPORTING
                && leg.equals(row.get().moveId());
    }

    private static Task task(UUID moveId, UUID otherLeg, Leg leg) {
        return new Task(moveId, otherLeg, leg, "ds-0", "ds-4", Scope.buckets(17), 1, Duration.ZERO, Duration.ZERO);
    }

    private static Arguments pair(
            String name,
            Optional<FenceRow> source,
            Optional<FenceRow> target,
            RecoveryAction there,
            RecoveryAction back) {
        return Arguments.of(name, source, target, there, back);
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
