package io.shardwright.controllers.bucketmove;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover;
import io.shardwright.planning.moves.MoveFault;
import io.shardwright.planning.moves.MoveObservation.Drain;
import io.shardwright.planning.moves.MoveObservation.Gate;
import io.shardwright.planning.moves.MoveObservation.GateCause;
import io.shardwright.planning.moves.MoveObservation.MoverView;
import io.shardwright.planning.moves.MoveObservation.Stage;
import io.shardwright.planning.moves.MoveObservation.Truth;
import io.shardwright.planning.moves.MoveStep;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The words of a mover in the words of the planner; both give the same names to the same things. */
final class MoverViews {
    private MoverViews() {}

    static MoverView view(MoverSeat.View view, long now) {
        MoveReport report = view.report();
        Optional<Gate> gate = view.gateMeasured().isPresent()
                ? Optional.of(gate(view, now - view.gateMeasured().getAsLong(), now))
                : Optional.empty();
        return new MoverView(
                Stage.valueOf(report.stage().name()),
                running(report),
                gate,
                view.ofWork().map(fault -> fault(fault, now)),
                view.ofLook().map(fault -> fault(fault, now)),
                view.retried().map(fault -> fault(fault, now)));
    }

    static Optional<MoveStep> running(MoveReport report) {
        return report.switching()
                ? Optional.of(MoveStep.SWITCH)
                : report.running().map(MoverViews::step);
    }

    private static Gate gate(MoverSeat.View view, long age, long now) {
        MoveReport report = view.report();
        if (report.gateOpen()) {
            return Gate.open(Duration.ofNanos(Math.max(0, age)));
        }
        return new Gate(
                false,
                SessionWords.withoutAges(report.gateReason()),
                Duration.ofNanos(Math.max(0, age)),
                Duration.ofNanos(Math.max(0, now - view.gateShutSince().orElse(now))),
                cause(report, view.limits()),
                SessionWords.in(report.gateReason()));
    }

    /** In the order in which a mover looks for what speaks against a switch. */
    private static GateCause cause(MoveReport report, MoveTask.Limits limits) {
        if (report.progress().lagBytes() > limits.lagGateBytes()) {
            return GateCause.BEHIND;
        }
        if (!SessionWords.in(report.gateReason()).isEmpty()) {
            return GateCause.OPEN_TRANSACTION;
        }
        if (report.progress().throttled().isPresent()) {
            return GateCause.THROTTLED;
        }
        return report.predictedHoldMs().isPresent() ? GateCause.OVER_BUDGET : GateCause.UNPREDICTED;
    }

    static Optional<Truth> truth(MoverSeat.View view, long now) {
        return view.report()
                .truth()
                .map(read -> new Truth(
                        read.source(),
                        read.target(),
                        read.resumable(),
                        Duration.ofNanos(Math.max(0, now - view.truthRead())),
                        read.demoted()));
    }

    private static MoveFault fault(MoverFaults.Fault fault, long now) {
        MoveReport.Failure failure = fault.failure();
        return new MoveFault(
                MoveFault.Kind.valueOf(failure.kind().name()),
                failure.curable(),
                SessionWords.withoutAges(failure.message()),
                failure.nextAction(),
                Duration.ofNanos(Math.max(0, now - fault.sinceNanos())),
                fault.times());
    }

    static MoveStep step(Mover.Command command) {
        return MoveStep.valueOf(command.name());
    }

    /** Two steps are those of the way back while it has not begun; its mover knows them as it knows any move's. */
    static Mover.Command command(MoveStep step) {
        return switch (step) {
            case COMPARE -> Mover.Command.VERIFY;
            case DISMISS -> Mover.Command.ABORT;
            default -> Mover.Command.valueOf(step.name());
        };
    }

    /** The same of a way back that has not begun. */
    static MoverView ofWayBack(MoverView mover) {
        return mover.stage() == Stage.VERIFIED
                ? new MoverView(
                        Stage.COMPARED, mover.running(), mover.gate(), mover.ofWork(), mover.ofLook(), mover.retried())
                : mover;
    }

    /** Since both sides were found equal. */
    static Optional<Duration> comparedAge(MoverSeat.View view, long now) {
        return view.verified().isPresent()
                ? Optional.of(Duration.ofNanos(Math.max(0, now - view.verified().getAsLong())))
                : Optional.empty();
    }

    /** Attempts that found no gap since the last group that was switched. */
    static Drain drain(MoverSeat.View view, long now) {
        List<MoveReport.Switch> switches = view.report().switches();
        int failed = 0;
        for (int i = switches.size() - 1; i >= 0 && !switches.get(i).activated(); i--) {
            failed++;
        }
        if (failed == 0) {
            return Drain.NONE;
        }
        long ended = view.lastSwitchEnded().orElse(now);
        return new Drain(
                failed,
                Duration.ofNanos(Math.max(0, now - ended)),
                SessionWords.withoutAges(switches.get(switches.size() - 1).blockers()));
    }
}
