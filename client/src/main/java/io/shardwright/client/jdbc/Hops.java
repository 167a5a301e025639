package io.shardwright.client.jdbc;

import io.shardwright.client.errors.StaleRouteException;
import io.shardwright.client.table.RouteView;
import io.shardwright.routing.FenceRefusal;
import java.sql.SQLException;
import java.time.Duration;

/**
 * How often one unit of work may be played again: three times within five seconds. A refusal that names the owner, or a
 * mover to wait for, is followed at once; any other waits a little for a newer table.
 */
final class Hops {
    private static final int MOST = 3;
    private static final Duration LONGEST = Duration.ofSeconds(5);
    private static final int FIRST_WAIT_MILLIS = 50;

    private final Router router;
    private final long deadline = System.nanoTime() + LONGEST.toNanos();
    private int used;

    Hops(Router router) {
        this.router = router;
    }

    /**
     * @param routedBy the view that led to the refusal
     * @throws StaleRouteException when the budget is used up
     */
    Hint next(FenceRefusal refusal, RouteView routedBy, SQLException cause) throws StaleRouteException {
        if (used == MOST || System.nanoTime() > deadline) {
            router.counters().gaveUp();
            throw new StaleRouteException("refused after " + used + " replays", refusal, cause);
        }
        used++;
        router.counters().replayed();
        Hint hint = new Hint(refusal);
        if (hint.isDraining()) {
            return hint;
        }
        router.refresh().run();
        if (!hint.namesOwner(routedBy.table())) {
            awaitNewerTable(routedBy);
        }
        return hint;
    }

    private void awaitNewerTable(RouteView routedBy) {
        int bound = FIRST_WAIT_MILLIS << used;
        try {
            router.table().awaitOther(routedBy, bound / 2 + router.random().nextInt(bound / 2));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the attempt goes on; whoever interrupted is told by the next wait
        }
    }
}
