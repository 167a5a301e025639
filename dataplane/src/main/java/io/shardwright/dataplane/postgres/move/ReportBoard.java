package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveReport.KeyHold;
import io.shardwright.dataplane.MoveReport.Progress;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveReport.Switch;
import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.MoveReport.Verification;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.ReportDraft;
import io.shardwright.dataplane.postgres.move.switchover.Gate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/** The newest report of a mover; written by its threads, read by anybody, every change told on. */
final class ReportBoard {
    private final AtomicReference<MoveReport> report = new AtomicReference<>(MoveReport.FRESH);
    private final Runnable changed;

    ReportBoard(Runnable changed) {
        this.changed = changed;
    }

    MoveReport get() {
        return report.get();
    }

    /** A command begins; @param command empty = a switch. The failure of the one before is forgotten. */
    void begin(Optional<Command> command) {
        change(r -> new ReportDraft(r)
                .running(command, command.isEmpty())
                .failure(Optional.empty())
                .done());
    }

    void end(Optional<Failure> failure) {
        change(r -> new ReportDraft(r)
                .running(Optional.empty(), false)
                .failure(failure.isPresent() ? failure : r.failure())
                .done());
    }

    /** A fault outside of a command: the stream has ended, or the watchdog has decided. */
    void fail(Failure failure, Stage back) {
        change(r -> new ReportDraft(r)
                .failure(Optional.of(failure))
                .stage(back)
                .gate(false, failure.message(), Optional.empty())
                .done());
    }

    /** The stream that failed is not the one of the command that runs. */
    void forgetFailure() {
        change(r -> new ReportDraft(r).failure(Optional.empty()).done());
    }

    void truth(Truth truth) {
        change(r -> new ReportDraft(r).truth(truth).done());
    }

    void stage(Stage stage) {
        change(r -> new ReportDraft(r).stage(stage).done());
    }

    /** What was reached beyond it counts no more. */
    void lower(Stage most) {
        change(r -> new ReportDraft(r)
                .stage(r.stage().compareTo(most) > 0 ? most : r.stage())
                .done());
    }

    void progress(Progress progress) {
        change(r -> new ReportDraft(r)
                .progress(
                        progress.throttle(r.progress().throttled(), r.progress().warning()))
                .done());
    }

    /** @param stopped who makes the move wait; @param warning what makes it slow, or will end it */
    void throttle(Optional<String> stopped, Optional<String> warning) {
        change(r -> new ReportDraft(r)
                .progress(r.progress().throttle(stopped, warning))
                .done());
    }

    void verification(Verification verification) {
        change(r -> new ReportDraft(r).verification(verification).done());
    }

    void gate(Gate gate) {
        change(r -> new ReportDraft(r)
                .gate(
                        gate.open(),
                        gate.reason(),
                        gate.predictedMs().stream().boxed().findFirst())
                .progress(new Progress(
                        r.progress().rowsCopied(),
                        r.progress().rowsTotal(),
                        r.progress().bytesPerSecond(),
                        gate.lagBytes(),
                        r.progress().throttled(),
                        r.progress().warning()))
                .done());
    }

    void keyHold(KeyHold one) {
        change(r -> new ReportDraft(r).keyHold(one).done());
    }

    void switched(List<Switch> attempts) {
        change(r -> new ReportDraft(r).switches(attempts).done());
    }

    private void change(UnaryOperator<MoveReport> edit) {
        report.updateAndGet(edit);
        changed.run();
    }
}
