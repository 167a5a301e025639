package io.shardwright.controllers.bucketmove;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover;
import io.shardwright.dataplane.Movers;
import io.shardwright.dataplane.ReportDraft;
import io.shardwright.routing.Scope;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.function.LongSupplier;

/**
 * The mover of one leg of a move in this process, and when it reported what, by the monotonic clock. Empty with every new leader:
 * whatever an earlier mover had reached is read again from the databases.
 *
 * <p>One thread at a time gives orders (the reconciler's); news come from threads of the mover. No order is given while the
 * monitor is held, because a mover tells its news while it holds its own.
 */
final class MoverSeat {
    private final LongSupplier nanos;
    private Mover mover;
    private MoveTask task;
    private int attempts;
    private MoveReport last;
    private int switchesTaken;
    private int keyHoldsTaken;
    private boolean measures;
    private OptionalLong gateMeasured;
    private OptionalLong gateShutSince;
    private MoverFaults faults;
    private OptionalLong lastSwitchEnded;
    private long truthRead;
    private OptionalLong verified;

    MoverSeat(LongSupplier nanos) {
        this.nanos = nanos;
        vacate();
    }

    /**
     * What the mover says, with its times.
     *
     * @param truthRead when the truth of the report was read; a mover that reads again makes a new one, even an equal one
     * @param gateMeasured when the last measurement of the gate ended, by a command or by a switch
     * @param gateShutSince when it was first found shut, if every measurement since then has found the same
     * @param ofWork how its work or its stream has failed, until it works again
     * @param ofLook how the last look at the fence rows has failed
     * @param retried the fault that the running command tries to get past
     * @param lastSwitchEnded when the last attempt to switch ended
     * @param verified when both sides were last found equal, while the mover stands by that
     */
    record View(
            MoveReport report,
            MoveTask.Limits limits,
            long truthRead,
            OptionalLong gateMeasured,
            OptionalLong gateShutSince,
            Optional<MoverFaults.Fault> ofWork,
            Optional<MoverFaults.Fault> ofLook,
            Optional<MoverFaults.Fault> retried,
            OptionalLong lastSwitchEnded,
            OptionalLong verified) {
        boolean busy() {
            return works(report);
        }
    }

    synchronized boolean isOpen() {
        return mover != null;
    }

    /**
     * Opens a mover unless there is one. An idle mover whose task has changed since (a login, a server, a limit of the policy)
     * is replaced; its successor resumes at the progress row. What a mover is doing goes on under the task that it began with.
     *
     * @param changed told of news that may matter to a decision; progress alone is none
     */
    void open(Movers movers, MoveTask wanted, Runnable changed) {
        if (view().filter(view -> !view.busy()).isPresent() && !has(wanted)) {
            close();
        }
        if (isOpen()) {
            return;
        }
        synchronized (this) {
            vacate();
            task = wanted;
            faults.opened();
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

    private synchronized boolean has(MoveTask wanted) {
        return task.equals(wanted);
    }

    boolean begin(Mover.Command command) {
        Mover current = current();
        boolean begun = current != null && current.begin(command);
        if (begun) {
            note();
        }
        return begun;
    }

    boolean beginCleanUp(Set<String> liveRouters) {
        Mover current = current();
        boolean begun = current != null && current.beginCleanUp(liveRouters);
        if (begun) {
            note();
        }
        return begun;
    }

    boolean beginSwitch(SortedSet<Scope> group) {
        Mover current = current();
        boolean begun = current != null && current.beginSwitch(group);
        if (begun) {
            note();
        }
        return begun;
    }

    boolean beginReclaim(SortedSet<Scope> scopes) {
        Mover current = current();
        boolean begun = current != null && current.beginReclaim(scopes);
        if (begun) {
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
        return Optional.of(new View(
                last,
                task.limits(),
                truthRead,
                gateMeasured,
                gateShutSince,
                faults.ofWork(),
                faults.ofLook(),
                faults.retried(),
                lastSwitchEnded,
                verified));
    }

    /** To switch, by all movers that have sat here. */
    synchronized int attempts() {
        note();
        return attempts;
    }

    /** Attempts to switch that have ended since this was asked last, each told once. */
    synchronized List<MoveReport.Switch> takeSwitches() {
        List<MoveReport.Switch> all = last == null ? List.of() : last.switches();
        List<MoveReport.Switch> fresh = behind(switchesTaken, all);
        switchesTaken = all.size();
        return fresh;
    }

    /** Holds for the sake of keys that have ended since this was asked last, each told once. */
    synchronized List<MoveReport.KeyHold> takeKeyHolds() {
        List<MoveReport.KeyHold> all = last == null ? List.of() : last.keyHolds();
        List<MoveReport.KeyHold> fresh = behind(keyHoldsTaken, all);
        keyHoldsTaken = all.size();
        return fresh;
    }

    private static <T> List<T> behind(int taken, List<T> all) {
        return List.copyOf(all.subList(Math.min(taken, all.size()), all.size()));
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
        switchesTaken = 0;
        keyHoldsTaken = 0;
        measures = false;
        gateMeasured = OptionalLong.empty();
        gateShutSince = OptionalLong.empty();
        faults = new MoverFaults();
        lastSwitchEnded = OptionalLong.empty();
        verified = OptionalLong.empty();
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
        faults.note(report, now);
        noteGate(report, now);
        noteVerified(before, report, now);
        int ended = report.switches().size()
                - (before == null ? 0 : before.switches().size());
        if (ended > 0) {
            attempts += ended;
            lastSwitchEnded = OptionalLong.of(now);
        }
        return before == null || !withoutProgress(before).equals(withoutProgress(report));
    }

    /** A switch measures for itself before it begins, so its end tells of the gate as a measurement does. */
    private void noteGate(MoveReport report, long now) {
        boolean measuring = report.switching()
                || report.running().filter(Mover.Command.GATE::equals).isPresent();
        if (measures && !works(report)) {
            boolean known = report.failure().isEmpty();
            gateMeasured = known ? OptionalLong.of(now) : OptionalLong.empty();
            gateShutSince =
                    !known || report.gateOpen() ? OptionalLong.empty() : OptionalLong.of(gateShutSince.orElse(now));
        }
        measures = measuring;
    }

    /** Also when what was equal is found equal again. */
    private void noteVerified(MoveReport before, MoveReport report, long now) {
        boolean again = before != null && verifies(before) && !verifies(report);
        if (report.stage() != MoveReport.Stage.VERIFIED) {
            verified = OptionalLong.empty();
        } else if (again && report.failure().isEmpty() || verified.isEmpty()) {
            verified = OptionalLong.of(now);
        }
    }

    private static boolean verifies(MoveReport report) {
        return report.running().filter(Mover.Command.VERIFY::equals).isPresent();
    }

    private static boolean works(MoveReport report) {
        return report.switching() || report.running().isPresent();
    }

    private static MoveReport withoutProgress(MoveReport report) {
        return new ReportDraft(report).progress(MoveReport.Progress.NONE).done();
    }
}
