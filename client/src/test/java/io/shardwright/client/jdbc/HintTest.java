package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.client.table.Tables;
import io.shardwright.routing.FenceRefusal;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Route;
import io.shardwright.routing.RoutingTable;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A2: what a refusal is good for. */
class HintTest {
    private static final RoutingTable TABLE = Tables.table(1, 5, List.of());
    private static final Route ROUTE = new Route("ds-0", 3, 4, Route.Rule.BUCKET);

    private static Route corrected(int bucket, FenceState state, String owner, long epoch) {
        return Hint.NONE.then("ds-0", refusal(bucket, state, owner, epoch)).correct(ROUTE, TABLE);
    }

    private static FenceRefusal refusal(int bucket, FenceState state, String owner, long epoch) {
        return new FenceRefusal(bucket, state, owner, epoch, null);
    }

    @Test
    void aHigherEpochLeadsToItsOwner() {
        assertThat(corrected(3, FenceState.MOVED, "ds-1", 5)).isEqualTo(new Route("ds-1", 3, 5, Route.Rule.FENCE));
    }

    @Test
    void anEpochThatIsNotHigherIsIgnored() {
        assertThat(corrected(3, FenceState.MOVED, "ds-1", 4)).isEqualTo(ROUTE);
    }

    @Test
    void aRefusalOfAnotherBucketLeadsNowhere() {
        assertThat(corrected(2, FenceState.MOVED, "ds-1", 5)).isEqualTo(ROUTE);
    }

    @Test
    void anOwnerThatTheTableDoesNotKnowCannotBeReached() {
        assertThat(corrected(3, FenceState.MOVED, "ds-9", 5)).isEqualTo(ROUTE);
        assertThat(corrected(3, FenceState.MOVED, null, 5)).isEqualTo(ROUTE);
    }

    @Test
    void onlyMovedAndImportingNameAnOwner() {
        assertThat(corrected(3, FenceState.DRAINING, "ds-1", 5)).isEqualTo(ROUTE);
        assertThat(corrected(3, FenceState.ABORTED, "ds-1", 5)).isEqualTo(ROUTE);
        assertThat(Hint.NONE.correct(ROUTE, TABLE)).isEqualTo(ROUTE);
    }

    /** The source of a move that is being switched back: the target owns the bucket until it has come back. */
    @Test
    void anImportingShardThatNamesAnotherOwnerLeadsThereByTheSameRule() {
        assertThat(corrected(3, FenceState.IMPORTING, "ds-1", 5)).isEqualTo(new Route("ds-1", 3, 5, Route.Rule.FENCE));
        assertThat(corrected(3, FenceState.IMPORTING, "ds-1", 4)).isEqualTo(ROUTE);
        assertThat(corrected(3, FenceState.IMPORTING, "ds-9", 5)).isEqualTo(ROUTE);
        assertThat(corrected(3, FenceState.IMPORTING, null, 5)).isEqualTo(ROUTE);
        assertThat(corrected(3, FenceState.IMPORTING, "ds-0", 5)).as("itself").isEqualTo(ROUTE);
    }

    @Test
    void aBucketThatHasComeBackIsNotLookedForByOlderNews() {
        Hint hint = Hint.NONE
                .then("ds-0", refusal(3, FenceState.IMPORTING, "ds-1", 5))
                .then("ds-1", refusal(3, FenceState.MOVED, "ds-0", 6))
                .then("ds-0", refusal(3, FenceState.IMPORTING, "ds-1", 5));

        assertThat(hint.correct(ROUTE, TABLE)).isEqualTo(new Route("ds-0", 3, 6, Route.Rule.FENCE));
    }

    @Test
    void anOwnerStaysKnownThroughRefusalsThatNameNone() {
        Hint hint = Hint.NONE
                .then("ds-0", refusal(3, FenceState.MOVED, "ds-1", 5))
                .then("ds-0", refusal(3, FenceState.IMPORTING, null, 4))
                .then("ds-0", refusal(2, FenceState.DRAINING, null, 1));
        assertThat(hint.correct(ROUTE, TABLE).shard()).isEqualTo("ds-1");
    }

    @Test
    void onlyACorrectedRouteLeadsElsewhere() {
        assertThat(Hint.NONE
                        .then("ds-0", refusal(3, FenceState.MOVED, "ds-1", 5))
                        .leadsElsewhere(ROUTE, TABLE))
                .isTrue();
        assertThat(Hint.NONE
                        .then("ds-0", refusal(3, FenceState.MOVED, "ds-1", 4))
                        .leadsElsewhere(ROUTE, TABLE))
                .as("older than the route")
                .isFalse();
        assertThat(Hint.NONE
                        .then("ds-0", refusal(3, FenceState.MOVED, "ds-0", 5))
                        .leadsElsewhere(ROUTE, TABLE))
                .as("the shard that refused")
                .isFalse();
    }

    @Test
    void ofTwoOwnersTheOneOfTheHigherEpochIsBelieved() {
        FenceRefusal older = refusal(3, FenceState.MOVED, "ds-0", 5);
        FenceRefusal newer = refusal(3, FenceState.MOVED, "ds-1", 6);
        assertThat(Hint.NONE
                        .then("ds-0", older)
                        .then("ds-0", newer)
                        .correct(ROUTE, TABLE)
                        .shard())
                .isEqualTo("ds-1");
        assertThat(Hint.NONE
                        .then("ds-0", newer)
                        .then("ds-0", older)
                        .correct(ROUTE, TABLE)
                        .shard())
                .isEqualTo("ds-1");
    }
}
