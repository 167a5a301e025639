package io.shardwright.controllers.bucketmove;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveReport.Progress;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.planning.moves.MoveStep;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * How the commands of one mover have ended: since when it fails, how often in a row, and whether the try that runs has got
 * past what failed. Work and looks at the fence rows are told apart, because a look that succeeds cures nothing but the look
 * that had failed. Told of every report in order; not thread-safe.
 */
final class MoverFaults {
    private final Map<MoveStep, Integer> inARow = new EnumMap<>(MoveStep.class);
    private int streamFaults;
    private long activated;
    private Optional<MoveStep> running = Optional.empty();
    private Optional<Failure> newest = Optional.empty();
    private Optional<Failure> beside = Optional.empty();
    private Optional<Fault> ofWork = Optional.empty();
    private Optional<Fault> ofLook = Optional.empty();
    private Optional<Fault> retried = Optional.empty();
    private Stage stageAtBegin = Stage.NONE;
    private Progress progressAtBegin = Progress.NONE;

    /**
     * @param sinceNanos when the command ended with it
     * @param times how often this command has failed in a row; of a stream that ended by itself: how often it has since what it
     *     brought was last found right
     */
    record Fault(Failure failure, long sinceNanos, int times) {}

    /** A mover reads the databases when it is opened, and may have ended that before anybody asks. */
    void opened() {
        running = Optional.of(MoveStep.OBSERVE);
    }

    void note(MoveReport report, long now) {
        Optional<MoveStep> runs = MoverViews.running(report);
        boolean told = report.failure().isPresent() && !report.failure().equals(newest);
        countActivations(report);
        if (runs.isPresent()) {
            if (running.isEmpty()) {
                begun(runs.get(), report);
            }
            beside = report.failure(); // a command has none before its end
            retried = retried.filter(any -> !isPast(runs.get(), report));
        } else if (running.isPresent()) {
            ended(running.get(), report, now);
        } else if (told) {
            streamFailed(report.failure().get(), now);
        }
        running = runs;
        newest = report.failure();
    }

    private void begun(MoveStep step, MoveReport report) {
        boolean looks = step == MoveStep.OBSERVE;
        retried = looks ? ofLook : ofLook.or(() -> ofWork);
        ofLook = Optional.empty();
        ofWork = looks ? ofWork : Optional.empty();
        stageAtBegin = report.stage();
        progressAtBegin = moved(report);
    }

    private void ended(MoveStep step, MoveReport report, long now) {
        retried = Optional.empty();
        Optional<Failure> failure = report.failure();
        if (failure.isEmpty()) {
            inARow.remove(step);
            streamFaults = step == MoveStep.VERIFY ? 0 : streamFaults;
        } else if (failure.equals(beside)) {
            streamFailed(failure.get(), now);
        } else {
            beside.ifPresent(ofStream -> streamFailed(ofStream, now));
            Fault fault = new Fault(failure.get(), now, inARow.merge(step, 1, Integer::sum));
            boolean looked = step == MoveStep.OBSERVE;
            ofLook = looked ? Optional.of(fault) : Optional.empty();
            ofWork = looked ? ofWork : Optional.of(fault);
        }
        beside = Optional.empty();
    }

    /** A new stream proves nothing: it begins well each time, and ends at the same row, or with its position, again. */
    private void streamFailed(Failure failure, long now) {
        ofWork = Optional.of(new Fault(failure, now, ++streamFaults));
    }

    private void countActivations(MoveReport report) {
        long activations =
                report.switches().stream().filter(MoveReport.Switch::activated).count();
        streamFaults = activations > activated ? 0 : streamFaults;
        activated = activations;
    }

    /** A copy that begins may still fail at its first row; rows that arrive, or a later stage, are proof; but not of a look. */
    private boolean isPast(MoveStep step, MoveReport report) {
        boolean further = report.stage() != stageAtBegin && report.stage() != Stage.COPYING;
        return step != MoveStep.OBSERVE && (further || !moved(report).equals(progressAtBegin));
    }

    /** What a command has brought; why it waits proves nothing. */
    private static Progress moved(MoveReport report) {
        return report.progress().throttle(Optional.empty(), Optional.empty());
    }

    /** Kept until work begins again, whatever is looked at meanwhile. */
    Optional<Fault> ofWork() {
        return ofWork;
    }

    Optional<Fault> ofLook() {
        return ofLook;
    }

    /** The fault that the running command tries to get past. */
    Optional<Fault> retried() {
        return retried;
    }
}
