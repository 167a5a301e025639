package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveReport.Progress;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveReport.Switch;
import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.MoveReport.Verification;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.move.switchover.Gate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/** The newest report of a mover; written by its threads, read by anybody, every change told on. */
final class ReportBoard {
    private final AtomicReference<MoveReport> report = new AtomicReference<>(new MoveReport(
            Optional.empty(),
            false,
            Optional.empty(),
            Stage.NONE,
            Progress.NONE,
            Verification.NONE,
            Optional.empty(),
            false,
            "not measured",
            List.of(),
            Optional.empty()));
    private final Runnable changed;

    ReportBoard(Runnable changed) {
        this.changed = changed;
    }

    MoveReport get() {
        return report.get();
    }

    /** A command begins; @param command empty = a switch. The failure of the one before is forgotten. */
    void begin(Optional<Command> command) {
        change(r -> new Draft(r)
                .running(command, command.isEmpty())
                .failure(Optional.empty())
                .done());
    }

    void end(Optional<Failure> failure) {
        change(r -> new Draft(r)
                .running(Optional.empty(), false)
                .failure(failure.isPresent() ? failure : r.failure())
                .done());
    }

    /** A fault outside of a command: the stream has ended, or the watchdog has decided. */
    void fail(Failure failure, Stage back) {
        change(r -> new Draft(r)
                .failure(Optional.of(failure))
                .stage(back)
                .gate(new Gate(
                        false,
                        failure.message(),
                        OptionalDouble.empty(),
                        r.progress().lagBytes()))
                .done());
    }

    /** The stream that failed is not the one of the command that runs. */
    void forgetFailure() {
        change(r -> new Draft(r).failure(Optional.empty()).done());
    }

    void truth(Truth truth) {
        change(r -> new Draft(r).truth(truth).done());
    }

    void stage(Stage stage) {
        change(r -> new Draft(r).stage(stage).done());
    }

    /** What was reached beyond it counts no more. */
    void lower(Stage most) {
        change(r -> new Draft(r)
                .stage(r.stage().compareTo(most) > 0 ? most : r.stage())
                .done());
    }

    void progress(Progress progress) {
        change(r -> new Draft(r)
                .progress(
                        progress.throttle(r.progress().throttled(), r.progress().warning()))
                .done());
    }

    /** @param stopped who makes the move wait; @param warning what makes it slow, or will end it */
    void throttle(Optional<String> stopped, Optional<String> warning) {
        change(r ->
                new Draft(r).progress(r.progress().throttle(stopped, warning)).done());
    }

    void verification(Verification verification) {
        change(r -> new Draft(r).verification(verification).done());
    }

    void gate(Gate gate) {
        change(r -> new Draft(r)
                .gate(gate)
                .progress(new Progress(
                        r.progress().rowsCopied(),
                        r.progress().rowsTotal(),
                        r.progress().bytesPerSecond(),
                        gate.lagBytes(),
                        r.progress().throttled(),
                        r.progress().warning()))
                .done());
    }

    void switched(List<Switch> attempts) {
        change(r -> new Draft(r).switches(attempts).done());
    }

    private void change(UnaryOperator<MoveReport> edit) {
        report.updateAndGet(edit);
        changed.run();
    }

    /** A copy of a report with some parts replaced. */
    private static final class Draft {
        private Optional<Command> running;
        private boolean switching;
        private Optional<Truth> truth;
        private Stage stage;
        private Progress progress;
        private Verification verification;
        private Optional<Double> predicted;
        private boolean gateOpen;
        private String gateReason;
        private List<Switch> switches;
        private Optional<Failure> failure;

        Draft(MoveReport from) {
            running = from.running();
            switching = from.switching();
            truth = from.truth();
            stage = from.stage();
            progress = from.progress();
            verification = from.verification();
            predicted = from.predictedHoldMs();
            gateOpen = from.gateOpen();
            gateReason = from.gateReason();
            switches = from.switches();
            failure = from.failure();
        }

        Draft running(Optional<Command> command, boolean isSwitch) {
            running = command;
            switching = isSwitch;
            return this;
        }

        Draft truth(Truth value) {
            truth = Optional.of(value);
            return this;
        }

        Draft stage(Stage value) {
            stage = value;
            return this;
        }

        Draft progress(Progress value) {
            progress = value;
            return this;
        }

        Draft verification(Verification value) {
            verification = value;
            return this;
        }

        Draft gate(Gate gate) {
            predicted = gate.predictedMs().isPresent()
                    ? Optional.of(gate.predictedMs().getAsDouble())
                    : Optional.empty();
            gateOpen = gate.open();
            gateReason = gate.reason();
            return this;
        }

        Draft switches(List<Switch> more) {
            List<Switch> all = new ArrayList<>(switches);
            all.addAll(more);
            switches = List.copyOf(all);
            return this;
        }

        Draft failure(Optional<Failure> value) {
            failure = value;
            return this;
        }

        MoveReport done() {
            return new MoveReport(
                    running,
                    switching,
                    truth,
                    stage,
                    progress,
                    verification,
                    predicted,
                    gateOpen,
                    gateReason,
                    switches,
                    failure);
        }
    }
}
