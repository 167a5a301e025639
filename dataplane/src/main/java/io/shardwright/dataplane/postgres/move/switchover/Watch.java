package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * One pause that is watched. When the databases cannot be asked, or a decision fails (a shard is unreachable; the next mover
 * ends all sessions of the move, also those in the middle of deciding), it is tried again: each takeover would begin a new
 * pause otherwise, and nothing would end this one.
 */
final class Watch {
    private static final long AGAIN_MILLIS = 1_000;

    private final Watchdog dog;
    private final String watchedSessions;
    private final SortedSet<Scope> group;
    private ScheduledFuture<?> next;
    private boolean over;
    private boolean begun;
    private boolean told;

    Watch(Watchdog dog, String watchedSessions, SortedSet<Scope> group) {
        this.dog = dog;
        this.watchedSessions = watchedSessions;
        this.group = group;
    }

    synchronized void actIn(long millis) {
        if (!over) {
            next = dog.timer().schedule(this::act, millis, TimeUnit.MILLISECONDS);
        }
    }

    /** The pause has ended. */
    synchronized void end() {
        over = true;
        next.cancel(false);
    }

    /** It may come late, even after its move has ended: only what is still to be decided concerns it. */
    private void act() {
        if (!decided() && !dog.closed().getAsBoolean()) {
            actIn(AGAIN_MILLIS);
        }
    }

    private boolean decided() {
        try (Incarnation helper = dog.helpers().get()) {
            if (!undecided(helper)) {
                return true;
            }
            helper.terminate(watchedSessions);
            begun = true;
            SortedSet<Scope> against = new DecisionAgainst(helper, group).run();
            if (!against.isEmpty()) {
                dog.decided().accept(MoverFault.decidedAgainst(against));
            }
            return true;
        } catch (MoverFault fault) {
            tell(fault);
        } catch (RuntimeException | Error e) {
            tell(MoverFault.unexpected(e));
        }
        return false;
    }

    /** Once: what a failure changes in a report is changed, and it would hide what the mover does meanwhile. */
    private void tell(MoverFault fault) {
        if (!told) {
            told = true;
            dog.decided().accept(fault);
        }
    }

    private boolean undecided(Incarnation helper) throws MoverFault {
        SortedMap<Scope, FenceRow> target =
                helper.target().read("read the fence", connection -> FenceRows.read(connection, group));
        return target.values().stream().anyMatch(row -> isOurs(helper, row, FenceState.IMPORTING))
                || begun && unreclaimed(helper, target);
    }

    /** A decision of this watch got as far as the target. */
    private boolean unreclaimed(Incarnation helper, SortedMap<Scope, FenceRow> target) throws MoverFault {
        SortedMap<Scope, FenceRow> source =
                helper.source().read("read the fence", connection -> FenceRows.read(connection, group));
        return source.values().stream()
                .anyMatch(row -> isOurs(helper, row, FenceState.MOVED)
                        && target.containsKey(row.scope())
                        && isOurs(helper, target.get(row.scope()), FenceState.ABORTED));
    }

    private static boolean isOurs(Incarnation helper, FenceRow row, FenceState state) {
        return row.state() == state && helper.moveId().equals(row.moveId());
    }
}
