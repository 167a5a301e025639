package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.routing.FenceState;
import java.util.SortedSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Ends a pause that has lasted too long: a fence that is not activated by then is decided against. It works with sessions
 * of its own, ends those of the mover first (one of them may hold the row that decides), and leaves the decision to the
 * compare-and-swap on the target.
 */
public final class Watchdog {
    private final ScheduledExecutorService timer;
    private final Supplier<Incarnation> helpers;
    private final Consumer<MoverFault> decided;

    /**
     * @param helpers an incarnation of the same move with sessions of its own
     * @param decided told that the watchdog has decided against buckets, or why it could not
     */
    public Watchdog(ScheduledExecutorService timer, Supplier<Incarnation> helpers, Consumer<MoverFault> decided) {
        this.timer = timer;
        this.helpers = helpers;
        this.decided = decided;
    }

    /** From just before the fence's commit is sent. Cancel it when the activation is durable. */
    ScheduledFuture<?> watch(Incarnation watched, SortedSet<Integer> group, long pauseMaxMillis) {
        return timer.schedule(() -> act(watched, group), pauseMaxMillis, TimeUnit.MILLISECONDS);
    }

    /** It may come late, even after its move has ended: only what is still to be decided concerns it. */
    private void act(Incarnation watched, SortedSet<Integer> group) {
        try (Incarnation helper = helpers.get()) {
            if (!undecided(helper, group)) {
                return;
            }
            helper.terminate(watched.sessionName());
            SortedSet<Integer> against = new DecisionAgainst(helper, group).run();
            if (!against.isEmpty()) {
                decided.accept(MoverFault.decidedAgainst(against));
            }
        } catch (MoverFault fault) {
            decided.accept(fault);
        } catch (RuntimeException | Error e) {
            decided.accept(MoverFault.unexpected(e));
        }
    }

    private static boolean undecided(Incarnation helper, SortedSet<Integer> group) throws MoverFault {
        return helper.target().read("read the fence", connection -> FenceRows.read(connection, group)).values().stream()
                .anyMatch(row ->
                        row.state() == FenceState.IMPORTING && helper.moveId().equals(row.moveId()));
    }
}
