package io.shardwright.controllers.bucketmove;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.Mover;
import io.shardwright.planning.moves.MoveFault;
import io.shardwright.planning.moves.MoveObservation.Drain;
import io.shardwright.planning.moves.MoveObservation.Gate;
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
        Optional<MoveStep> running = report.switching()
                ? Optional.of(MoveStep.SWITCH)
                : report.running().map(MoverViews::step);
        Optional<Gate> gate = view.gateMeasured().isPresent()
                ? Optional.of(new Gate(
                        report.gateOpen(),
                        report.gateReason(),
                        Duration.ofNanos(now - view.gateMeasured().getAsLong())))
                : Optional.empty();
        Optional<MoveFault> fault = report.failure().map(failure -> fault(failure, now - view.failureSince()));
        return new MoverView(Stage.valueOf(report.stage().name()), running, gate, fault);
    }

    static Optional<Truth> truth(MoverSeat.View view, long now) {
        return view.report()
                .truth()
                .map(read -> new Truth(
                        read.source(),
                        read.target(),
                        read.resumable(),
                        Duration.ofNanos(Math.max(0, now - view.truthRead()))));
    }

    private static MoveFault fault(MoveReport.Failure failure, long age) {
        return new MoveFault(
                MoveFault.Kind.valueOf(failure.kind().name()),
                failure.curable(),
                failure.message(),
                failure.nextAction(),
                Duration.ofNanos(Math.max(0, age)));
    }

    static MoveStep step(Mover.Command command) {
        return MoveStep.valueOf(command.name());
    }

    static Mover.Command command(MoveStep step) {
        return Mover.Command.valueOf(step.name());
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
                switches.get(switches.size() - 1).blockers());
    }
}
