package io.shardwright.client.jdbc;

import io.shardwright.client.errors.StaleRouteException;
import io.shardwright.routing.FenceRefusal;
import java.sql.SQLException;
import java.time.Duration;

/**
 * How long one unit of work may be played again: for five seconds, and through three changes of shard. A refusal that leads
 * to another shard is followed at once; a mover is waited for in the database, by entering its bucket. Any other (the target
 * is still importing, the table is too old, or newer than the owner that is named) is no hop: it waits a little, longer each
 * time, and tries again where the newest owner is known to be.
 *
 * <p>The five seconds decide whether another attempt begins. One that has begun is bounded by what bounds all work: the wait
 * for a connection by its pool, the wait for a mover by the mover's own limits in the database.
 */
final class Hops {
    private static final int MOST = 3;
    private static final Duration LONGEST = Duration.ofSeconds(5);
    private static final long FIRST_WAIT_MILLIS = 50;
    private static final long LONGEST_WAIT_MILLIS = 400;

    private final Router router;
    private final long started = System.nanoTime();
    private Hint hint = Hint.NONE;
    private int hops;
    private int drains;
    private int replays;
    private long wait = FIRST_WAIT_MILLIS;

    Hops(Router router) {
        this.router = router;
    }

    /** @throws StaleRouteException when the budget is used up */
    Hint next(Refused refused, SQLException cause) throws StaleRouteException {
        hint = hint.then(refused.route().shard(), refused.by());
        boolean changesShard =
                hint.leadsElsewhere(refused.route(), refused.view().table());
        if (remainingMillis() <= 0 || changesShard && hops == MOST) {
            throw givenUp("refused after " + replays + " replays", refused.by(), cause);
        }
        if (!hint.isDraining()) {
            router.refresh().run();
        }
        if (changesShard) {
            hops++;
        } else if (!hint.isDraining() || ++drains > MOST) {
            awaitNewerTable(refused, cause);
        }
        replays++;
        router.counters().replayed();
        return hint;
    }

    private StaleRouteException givenUp(String why, FenceRefusal refusal, SQLException cause) {
        router.counters().gaveUp();
        return new StaleRouteException(why, refusal, cause);
    }

    private long remainingMillis() {
        return LONGEST.minusNanos(System.nanoTime() - started).toMillis();
    }

    /** Half of the wait is random: a thousand refused callers do not come back in the same moment. */
    private void awaitNewerTable(Refused refused, SQLException cause) throws StaleRouteException {
        long jittered = wait / 2 + router.random().nextInt((int) wait / 2);
        wait = Math.min(2 * wait, LONGEST_WAIT_MILLIS);
        try {
            router.table().awaitOther(refused.view(), Math.max(1, Math.min(jittered, remainingMillis())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // no later wait would wait: trying on would be a busy loop
            throw givenUp("interrupted while waiting for the owner of the bucket", refused.by(), cause);
        }
    }
}
