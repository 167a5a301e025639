package io.shardwright.controllers.bucketmove;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover;
import io.shardwright.dataplane.Movers;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.function.LongSupplier;

/**
 * The mover of one move in this process, and when it reported what, by the monotonic clock. Empty with every new leader:
 * whatever an earlier mover had reached is read again from the databases.
 */
final class MoverSeat {
    /** A read of the fence that is older is repeated before what cannot be taken back. */
    private static final Duration FRESH = Duration.ofSeconds(2);

    private final LongSupplier nanos;
    private Mover mover;
    private boolean gatePending;
    private OptionalLong gateMeasured = OptionalLong.empty();
    private Optional<MoveReport.Failure> failure = Optional.empty();
    private long failureSince;
    private int switchesSeen;
    private OptionalLong lastSwitchEnded = OptionalLong.empty();
    private OptionalLong lastCommandEnded = OptionalLong.empty();
    private boolean busy;
    private MoveTask task;
    private int attemptsBefore;

    MoverSeat(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /**
     * What the mover says, with its times.
     *
     * @param gateMeasured when the last measurement of the gate ended that no switch attempt has used up
     * @param failureSince when the failure of the report was first seen
     * @param lastSwitchEnded when the last attempt to switch ended
     * @param attempts to switch, those of earlier movers included
     */
    record View(
            MoveReport report,
            OptionalLong gateMeasured,
            long failureSince,
            OptionalLong lastSwitchEnded,
            int attempts) {
        boolean busy() {
            return report.switching() || report.running().isPresent();
        }
    }

    synchronized boolean isOpen() {
        return mover != null;
    }

    /**
     * Opens a mover unless there is one. An idle mover whose logins or servers have changed since is replaced.
     *
     * @param changed see {@link Movers#open}
     * @param attempts to switch so far, as the status knows
     */
    void open(Movers movers, MoveTask wanted, Runnable changed, int attempts) {
        if (view().filter(view -> !view.busy()).isPresent() && !sameServers(wanted)) {
            close();
        }
        synchronized (this) {
            if (mover == null) {
                forgetTimes();
                task = wanted;
                attemptsBefore = attempts;
                mover = movers.open(wanted, () -> {
                    note();
                    changed.run();
                });
            }
        }
    }

    private synchronized boolean sameServers(MoveTask wanted) {
        return task.source().equals(wanted.source()) && task.target().equals(wanted.target());
    }

    synchronized boolean begin(Mover.Command command) {
        boolean begun = mover != null && mover.begin(command);
        busy |= begun;
        if (begun && command == Mover.Command.GATE) {
            gatePending = true;
            gateMeasured = OptionalLong.empty();
        }
        return begun;
    }

    synchronized boolean beginSwitch(SortedSet<Integer> group) {
        boolean begun = mover != null && mover.beginSwitch(group);
        busy |= begun;
        if (begun) {
            gateMeasured = OptionalLong.empty();
        }
        return begun;
    }

    /** The fence rows of both sides were read a moment ago. */
    synchronized boolean truthIsFresh() {
        note();
        return lastCommandEnded.isPresent() && nanos.getAsLong() - lastCommandEnded.getAsLong() < FRESH.toNanos();
    }

    synchronized Optional<View> view() {
        if (mover == null) {
            return Optional.empty();
        }
        note();
        MoveReport report = mover.report();
        int attempts = attemptsBefore + report.switches().size();
        return Optional.of(new View(report, gateMeasured, failureSince, lastSwitchEnded, attempts));
    }

    /** Closes outside of the lock: a mover that ends may wait for a thread that is telling its news here. */
    void close() {
        Mover closing;
        synchronized (this) {
            closing = mover;
            mover = null;
            forgetTimes();
        }
        if (closing != null) {
            closing.close();
        }
    }

    private void forgetTimes() {
        gatePending = false;
        gateMeasured = OptionalLong.empty();
        failure = Optional.empty();
        switchesSeen = 0;
        lastSwitchEnded = OptionalLong.empty();
        lastCommandEnded = OptionalLong.empty();
        busy = false;
    }

    private synchronized void note() {
        if (mover == null) {
            return;
        }
        MoveReport report = mover.report();
        long now = nanos.getAsLong();
        boolean works = report.switching() || report.running().isPresent();
        if (busy && !works) {
            lastCommandEnded = OptionalLong.of(now);
        }
        busy = works;
        if (gatePending && report.running().isEmpty()) {
            gatePending = false;
            gateMeasured = OptionalLong.of(now);
        }
        if (!report.failure().equals(failure)) {
            failure = report.failure();
            failureSince = now;
        }
        if (report.switches().size() > switchesSeen) {
            switchesSeen = report.switches().size();
            lastSwitchEnded = OptionalLong.of(now);
        }
    }
}
