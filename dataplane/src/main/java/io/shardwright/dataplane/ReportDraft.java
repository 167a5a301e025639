package io.shardwright.dataplane;

import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveReport.KeyHold;
import io.shardwright.dataplane.MoveReport.Progress;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveReport.Switch;
import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.MoveReport.Verification;
import io.shardwright.dataplane.Mover.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A copy of a report with some parts replaced. */
public final class ReportDraft {
    private Optional<Command> running;
    private boolean switching;
    private Optional<Truth> truth;
    private Stage stage;
    private Progress progress;
    private Verification verification;
    private Optional<Double> predictedHoldMs;
    private boolean gateOpen;
    private String gateReason;
    private List<Switch> switches;
    private Optional<Failure> failure;
    private List<KeyHold> keyHolds;

    public ReportDraft(MoveReport from) {
        running = from.running();
        switching = from.switching();
        truth = from.truth();
        stage = from.stage();
        progress = from.progress();
        verification = from.verification();
        predictedHoldMs = from.predictedHoldMs();
        gateOpen = from.gateOpen();
        gateReason = from.gateReason();
        switches = from.switches();
        failure = from.failure();
        keyHolds = from.keyHolds();
    }

    public ReportDraft running(Optional<Command> command, boolean isSwitch) {
        running = command;
        switching = isSwitch;
        return this;
    }

    public ReportDraft truth(Truth value) {
        truth = Optional.of(value);
        return this;
    }

    public ReportDraft stage(Stage value) {
        stage = value;
        return this;
    }

    public ReportDraft progress(Progress value) {
        progress = value;
        return this;
    }

    public ReportDraft verification(Verification value) {
        verification = value;
        return this;
    }

    public ReportDraft gate(boolean open, String reason, Optional<Double> predictedMs) {
        gateOpen = open;
        gateReason = reason;
        predictedHoldMs = predictedMs;
        return this;
    }

    /** Attempts that have ended since. */
    public ReportDraft switches(List<Switch> more) {
        List<Switch> all = new ArrayList<>(switches);
        all.addAll(more);
        switches = List.copyOf(all);
        return this;
    }

    public ReportDraft failure(Optional<Failure> value) {
        failure = value;
        return this;
    }

    public ReportDraft keyHold(KeyHold one) {
        keyHolds = Stream.concat(keyHolds.stream(), Stream.of(one)).toList();
        return this;
    }

    public MoveReport done() {
        return new MoveReport(
                running,
                switching,
                truth,
                stage,
                progress,
                verification,
                predictedHoldMs,
                gateOpen,
                gateReason,
                switches,
                failure,
                keyHolds);
    }
}
