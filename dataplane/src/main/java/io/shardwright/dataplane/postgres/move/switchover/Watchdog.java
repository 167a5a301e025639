package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.routing.Scope;
import java.util.SortedSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Ends a pause that has lasted too long: a fence that is not activated by then is decided against. It works with sessions
 * of its own, ends those of the mover first (one of them may hold the row that decides), and leaves the decision to the
 * compare-and-swap on the target.
 *
 * @param helpers an incarnation of the same move with sessions of its own
 * @param decided told that the watchdog has decided against buckets, or why it could not
 * @param closed the mover is; whoever holds the move next watches its pauses himself
 */
public record Watchdog(
        ScheduledExecutorService timer,
        Supplier<Incarnation> helpers,
        Consumer<MoverFault> decided,
        BooleanSupplier closed) {
    /** From just before the fence's commit is sent. End it when the activation is durable. */
    Watch watch(Incarnation watched, SortedSet<Scope> group, long pauseMaxMillis) {
        Watch watch = new Watch(this, watched.sessionName(), group);
        watch.actIn(pauseMaxMillis);
        return watch;
    }
}
