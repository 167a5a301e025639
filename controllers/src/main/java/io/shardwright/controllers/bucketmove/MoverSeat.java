package io.shardwright.controllers.bucketmove;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover;
import io.shardwright.dataplane.Movers;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.function.LongSupplier;

/**
 * The mover of one move in this process, and when it reported what, by the monotonic clock. Empty with every new leader:
 * whatever an earlier mover had reached is read again from the databases.
 *
 * <p>One thread at a time gives orders (the reconciler's); news come from threads of the mover. No order is given while the
 * monitor is held, because a mover tells its news while it holds its own.
 */
final class MoverSeat {
    private final LongSupplier nanos;
    private Mover mover;
    private MoveTask task;
    private int attemptsBefore;
    private MoveReport last;
    private boolean gatePending;
    private OptionalLong gateMeasured;
    private long failureSince;
    private OptionalLong lastSwitchEnded;
    private long truthRead;

    MoverSeat(LongSupplier nanos) {
        this.nanos = nanos;
        vacate();
    }

    /**
     * What the mover says, with its times.
     *
     * @param truthRead when the truth of the report was read; a mover that reads again makes a new one, even an equal one
     * @param gateMeasured when the last measurement of the gate ended that no switch attempt has used up
     * @param failureSince when the failure of the report was first seen
     * @param lastSwitchEnded when the last attempt to switch ended
     * @param attempts to switch, those of earlier movers included
     */
    record View(
            MoveReport report,
            long truthRead,
            OptionalLong gateMeasured,
            long failureSince,
            OptionalLong lastSwitchEnded,
            int attempts) {
        boolean busy() {
            return works(report);
        }
    }

    synchronized boolean isOpen() {
        return mover != null;
    }

    /**
     * Opens a mover unless there is one. An idle mover whose logins or servers have changed since is replaced.
     *
     * @param changed told of news that may matter to a decision; progress alone is none
     * @param attempts to switch so far, as the status knows
     */
    void open(Movers movers, MoveTask wanted, Runnable changed, int attempts) {
        if (view().filter(view -> !view.busy()).isPresent() && !sameServers(wanted)) {
            close();
        }
        if (isOpen()) {
            return;
        }
        synchronized (this) {
            vacate();
            task = wanted;
            attemptsBefore = attempts;
        }
        Mover opened = movers.open(wanted, () -> {
            if (note()) {
                changed.run();
            }
        });
        synchronized (this) {
            mover = opened;
        }
        if (note()) {
            changed.run();
        }
    }

    private synchronized boolean sameServers(MoveTask wanted) {
        return task.source().equals(wanted.source()) && task.target().equals(wanted.target());
    }

    boolean begin(Mover.Command command) {
        Mover current = current();
        boolean begun = current != null && current.begin(command);
        if (begun) {
            synchronized (this) {
                if (command == Mover.Command.GATE) {
                    gatePending = true;
                    gateMeasured = OptionalLong.empty();
                }
            }
            note();
        }
        return begun;
    }

    boolean beginSwitch(SortedSet<Integer> group) {
        Mover current = current();
        boolean begun = current != null && current.beginSwitch(group);
        if (begun) {
            synchronized (this) {
                gateMeasured = OptionalLong.empty();
            }
            note();
        }
        return begun;
    }

    private synchronized Mover current() {
        return mover;
    }

    synchronized Optional<View> view() {
        if (mover == null) {
            return Optional.empty();
        }
        note();
        int attempts = attemptsBefore + last.switches().size();
        return Optional.of(new View(last, truthRead, gateMeasured, failureSince, lastSwitchEnded, attempts));
    }

    void close() {
        Mover closing;
        synchronized (this) {
            closing = mover;
            mover = null;
            vacate();
        }
        if (closing != null) {
            closing.close();
        }
    }

    private synchronized void vacate() {
        last = null;
        gatePending = false;
        gateMeasured = OptionalLong.empty();
        lastSwitchEnded = OptionalLong.empty();
    }

    /** @return whether anything but progress is new */
    private synchronized boolean note() {
        if (mover == null) {
            return false;
        }
        MoveReport before = last;
        MoveReport report = mover.report();
        long now = nanos.getAsLong();
        last = report;
        if (report.truth().orElse(null)
                != (before == null ? null : before.truth().orElse(null))) {
            truthRead = now;
        }
        if (gatePending && !works(report)) {
            gatePending = false;
            gateMeasured = OptionalLong.of(now);
        }
        if (report.failure().isPresent() && (before == null || !report.failure().equals(before.failure()))) {
            failureSince = now;
        }
        if (report.switches().size() > (before == null ? 0 : before.switches().size())) {
            lastSwitchEnded = OptionalLong.of(now);
        }
        return before == null || !withoutProgress(before).equals(withoutProgress(report));
    }

    private static boolean works(MoveReport report) {
        return report.switching() || report.running().isPresent();
    }

    private static MoveReport withoutProgress(MoveReport report) {
        return new MoveReport(
                report.running(),
                report.switching(),
                report.truth(),
                report.stage(),
                MoveReport.Progress.NONE,
                report.verification(),
                report.predictedHoldMs(),
                report.gateOpen(),
                report.gateReason(),
                report.switches(),
                report.failure());
    }
}
