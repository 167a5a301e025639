package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.MoveReport.Switch;
import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.postgres.move.apply.Streaming;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.UUID;

/** Brings a group from whatever the fence rows say to activated: one attempt for what is open, one for what is fenced. */
public final class Switchover {
    private final Streaming streaming;
    private final Watchdog watchdog;
    private final Truth truth;
    private final UUID moveId;

    /** @param truth as read just now */
    public Switchover(Streaming streaming, Watchdog watchdog, Truth truth) {
        this.streaming = streaming;
        this.watchdog = watchdog;
        this.truth = truth;
        moveId = streaming.incarnation().moveId();
    }

    /** Finishes what an earlier mover has fenced, gate or not: nobody can write there. */
    public List<Switch> finishFenced(SortedSet<Scope> group) throws MoverFault {
        SortedMap<Scope, Long> fenced = new TreeMap<>();
        for (Scope scope : group) {
            FenceRow source = truth.source().get(scope);
            if (source != null && source.state() == FenceState.MOVED && importing(scope, source.epoch() - 1)) {
                fenced.put(scope, source.epoch() - 1);
            }
        }
        return fenced.isEmpty()
                ? List.of()
                : List.of(new SwitchAttempt(streaming, new GroupEpochs(fenced), watchdog, 0).takenOver());
    }

    /** Buckets that the source still owns, with their epochs. */
    private SortedMap<Scope, Long> open(SortedSet<Scope> group) {
        SortedMap<Scope, Long> open = new TreeMap<>();
        for (Scope scope : group) {
            FenceRow source = truth.source().get(scope);
            if (source != null && source.state() == FenceState.OWNED && importing(scope, source.epoch())) {
                open.put(scope, source.epoch());
            }
        }
        return open;
    }

    /** Nothing of the group is left to switch but what is fenced or activated. */
    public boolean closed(SortedSet<Scope> group) {
        return open(group).isEmpty();
    }

    /** Switches what the source still owns; the caller has verified it and measured the gate. */
    public Switch fresh(SortedSet<Scope> group, double predictedMs) throws MoverFault {
        return new SwitchAttempt(streaming, new GroupEpochs(open(group)), watchdog, predictedMs).fresh();
    }

    /** @return buckets of the group that neither side can bring to an activation */
    public Map<Scope, FenceRow> strange(SortedSet<Scope> group) {
        Map<Scope, FenceRow> strange = new TreeMap<>();
        for (Scope scope : group) {
            FenceRow source = truth.source().get(scope);
            boolean known = source != null
                    && (importing(scope, source.epoch())
                            || importing(scope, source.epoch() - 1)
                            || activated(scope, source));
            if (!known) {
                strange.put(scope, truth.target().get(scope));
            }
        }
        return strange;
    }

    private boolean importing(Scope scope, long epoch) {
        FenceRow target = truth.target().get(scope);
        return target != null
                && target.state() == FenceState.IMPORTING
                && moveId.equals(target.moveId())
                && target.epoch() == epoch;
    }

    private boolean activated(Scope scope, FenceRow source) {
        FenceRow target = truth.target().get(scope);
        return target != null && target.state() == FenceState.OWNED && target.epoch() == source.epoch();
    }
}
