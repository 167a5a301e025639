package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.client.errors.StaleRouteException;
import io.shardwright.client.table.Tables;
import io.shardwright.routing.FenceRefusal;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Route;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How often, and how soon, refused work is played again. */
class HopsTest {
    private static final int BUCKET = 3;

    private final TestRouter router = new TestRouter(new FakeShards());
    private Hops hops;

    @BeforeEach
    void knowATable() {
        router.intake.offer(Tables.document(5), "test");
        hops = new Hops(router.router);
    }

    @AfterEach
    void close() {
        router.close();
    }

    private Refused moved(String refusing, long routedAt, String owner, long epoch) {
        return refused(refusing, routedAt, FenceState.MOVED, owner, epoch);
    }

    private Refused refused(String refusing, long routedAt, FenceState state, String owner, long epoch) {
        return new Refused(
                new FenceRefusal(BUCKET, state, owner, epoch, null),
                new Route(refusing, BUCKET, routedAt, Route.Rule.BUCKET),
                router.table.require());
    }

    @Test
    void threeChangesOfShardAreFollowedAndAFourthIsNot() throws StaleRouteException {
        hops.next(moved("ds-0", 1, "ds-1", 2), null);
        hops.next(moved("ds-1", 2, "ds-0", 3), null);
        hops.next(moved("ds-0", 3, "ds-1", 4), null);

        assertThatThrownBy(() -> hops.next(moved("ds-1", 4, "ds-0", 5), null)).isInstanceOf(StaleRouteException.class);
    }

    /** The next attempt goes to the shard that has just refused: it needs a newer table, which takes its time. */
    @Test
    void anOwnerThatIsOlderThanTheRouteIsNoChangeOfShardAndIsWaitedFor() throws StaleRouteException {
        long began = System.nanoTime();
        for (int i = 0; i < 5; i++) {
            Hint hint = hops.next(moved("ds-0", 4, "ds-1", 4), null);

            Route route = new Route("ds-0", BUCKET, 4, Route.Rule.BUCKET);
            assertThat(hint.correct(route, router.table.require().table())).isEqualTo(route);
        }
        assertThat(System.nanoTime() - began).as("it waited").isGreaterThan(300_000_000L);
        assertThat(router.counters.replays()).isEqualTo(5);
    }

    /** Without its word a late router would wait there until the bucket is back. */
    @Test
    void aShardThatABucketComesBackToLeadsToTheOwnerUntilThen() throws StaleRouteException {
        Hint hint = hops.next(refused("ds-0", 1, FenceState.IMPORTING, "ds-1", 2), null);

        Route route = new Route("ds-0", BUCKET, 1, Route.Rule.BUCKET);
        assertThat(hint.correct(route, router.table.require().table()).shard()).isEqualTo("ds-1");
    }

    @Test
    void aShardThatNamesItselfIsNotFollowedToItself() throws StaleRouteException {
        for (int i = 0; i < 5; i++) {
            hops.next(moved("ds-0", 1, "ds-0", 2 + i), null);
        }
        assertThat(router.counters.replays()).isEqualTo(5);
    }
}
