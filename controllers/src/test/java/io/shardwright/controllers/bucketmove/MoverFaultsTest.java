package io.shardwright.controllers.bucketmove;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveReport.Progress;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.ReportDraft;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MoverFaultsTest {
    private static final Failure DOWN = new Failure(Failure.Kind.UNREACHABLE, true, "ds-4 does not answer", "start it");

    private final MoverFaults faults = new MoverFaults();
    private Stage stage = Stage.NONE;
    private Progress progress = Progress.NONE;
    private final List<MoveReport.Switch> switches = new ArrayList<>();
    private long now;

    private void begins(Command command) {
        faults.note(report(Optional.of(command), Optional.empty()), ++now);
    }

    private void fails() {
        faults.note(report(Optional.empty(), Optional.of(DOWN)), ++now);
    }

    private void succeeds() {
        faults.note(report(Optional.empty(), Optional.empty()), ++now);
    }

    private MoveReport report(Optional<Command> running, Optional<Failure> failure) {
        return new ReportDraft(MoveReport.FRESH)
                .running(running, false)
                .stage(stage)
                .progress(progress)
                .switches(switches)
                .failure(failure)
                .done();
    }

    private int times() {
        return faults.ofWork().orElseThrow().times();
    }

    @Test
    void theSameFailureAgainAndAgainIsCountedAndTimedAnew() {
        begins(Command.PREPARE);
        fails();
        begins(Command.PREPARE);
        fails();

        assertThat(times()).isEqualTo(2);
        assertThat(faults.ofWork().orElseThrow().sinceNanos()).isEqualTo(4);
    }

    @Test
    void aSuccessOfTheSameCommandEndsTheRowAndOneOfAnotherDoesNot() {
        begins(Command.VERIFY);
        fails();
        begins(Command.PREPARE);
        succeeds();
        begins(Command.VERIFY);
        fails();
        assertThat(times()).isEqualTo(2);
        begins(Command.VERIFY);
        succeeds();

        begins(Command.VERIFY);
        fails();

        assertThat(times()).isEqualTo(1);
    }

    @Test
    void aMoverThatFailedBeforeAnybodyAskedHasFailedOnce() {
        faults.opened();

        fails();

        assertThat(faults.ofLook().orElseThrow().times()).isEqualTo(1);
    }

    @Test
    void aLookThatSucceedsCuresNoWork() {
        begins(Command.VERIFY);
        fails();

        begins(Command.OBSERVE);
        assertThat(faults.ofWork()).isPresent();
        assertThat(faults.retried()).isEmpty();
        succeeds();

        assertThat(times()).isEqualTo(1);
        assertThat(faults.ofWork().orElseThrow().sinceNanos()).isEqualTo(2);
    }

    @Test
    void aLookThatFailsIsCuredByTheNextOneAndWhatFailedBeforeIsNot() {
        begins(Command.VERIFY);
        fails();
        begins(Command.OBSERVE);
        fails();
        assertThat(faults.ofLook()).isPresent();
        begins(Command.OBSERVE);
        progress = new Progress(10, 100, 5, 0);
        begins(Command.OBSERVE);
        assertThat(faults.retried()).isPresent();

        succeeds();

        assertThat(faults.ofLook()).isEmpty();
        assertThat(faults.ofWork()).isPresent();
    }

    @Test
    void workThatSucceedsCuresBoth() {
        begins(Command.VERIFY);
        fails();
        begins(Command.OBSERVE);
        fails();

        begins(Command.PREPARE);
        assertThat(faults.retried()).isPresent();
        succeeds();

        assertThat(faults.ofLook()).isEmpty();
        assertThat(faults.ofWork()).isEmpty();
    }

    @Test
    void aTryIsNotPastTheFaultWhenItMerelyBeginsToCopy() {
        begins(Command.PREPARE);
        fails();
        begins(Command.PREPARE);
        assertThat(faults.retried()).isPresent();
        stage = Stage.COPYING;
        begins(Command.PREPARE);
        assertThat(faults.retried()).isPresent();
        progress = Progress.NONE.throttle(Optional.of("standby b is behind"), Optional.of("a slot keeps much"));
        begins(Command.PREPARE);
        assertThat(faults.retried()).isPresent();

        progress = new Progress(10, 100, 5, 0);
        begins(Command.PREPARE);

        assertThat(faults.retried()).isEmpty();
    }

    @Test
    void aTryIsPastTheFaultWhenItReachesALaterStage() {
        begins(Command.PREPARE);
        fails();
        begins(Command.PREPARE);

        stage = Stage.CATCHING_UP;
        begins(Command.PREPARE);

        assertThat(faults.retried()).isEmpty();
    }

    @Test
    void aStreamThatEndsByItselfIsAFailure() {
        begins(Command.PREPARE);
        succeeds();

        fails();

        assertThat(times()).isEqualTo(1);
    }

    @Test
    void aStreamThatEndsAgainAfterEachPreparationIsCountedOn() {
        for (int i = 0; i < 3; i++) {
            begins(Command.PREPARE);
            succeeds();
            fails();
        }

        assertThat(times()).isEqualTo(3);
    }

    @Test
    void aStreamThatEndsBesideACommandIsCountedWithTheOthers() {
        begins(Command.PREPARE);
        succeeds();
        fails();
        begins(Command.PREPARE);
        succeeds();
        begins(Command.OBSERVE);
        faults.note(report(Optional.of(Command.OBSERVE), Optional.of(DOWN)), ++now);
        fails();
        assertThat(times()).isEqualTo(2);
        begins(Command.OBSERVE);
        succeeds();
        begins(Command.PREPARE);
        succeeds();

        fails();

        assertThat(times()).isEqualTo(3);
    }

    @Test
    void aStreamThatEndsBesideALookThatFailsOtherwiseIsKept() {
        Failure denied = new Failure(Failure.Kind.OTHER, true, "ds-0 refuses the login", "mend the Secret");
        begins(Command.PREPARE);
        succeeds();
        begins(Command.OBSERVE);
        faults.note(report(Optional.of(Command.OBSERVE), Optional.of(DOWN)), ++now);

        faults.note(report(Optional.empty(), Optional.of(denied)), ++now);

        assertThat(faults.ofLook().orElseThrow().failure()).isEqualTo(denied);
        assertThat(faults.ofWork().orElseThrow().failure()).isEqualTo(DOWN);
        assertThat(times()).isEqualTo(1);
        begins(Command.OBSERVE);
        succeeds();
        assertThat(faults.ofWork()).isPresent();
    }

    @Test
    void aVerificationThatSucceedsProvesTheStream() {
        begins(Command.PREPARE);
        succeeds();
        fails();
        begins(Command.PREPARE);
        succeeds();
        begins(Command.VERIFY);
        succeeds();

        fails();

        assertThat(times()).isEqualTo(1);
    }

    @Test
    void anActivationProvesTheStreamAndAFailedDrainDoesNot() {
        begins(Command.PREPARE);
        succeeds();
        fails();
        begins(Command.PREPARE);
        succeeds();
        switches.add(attempt(false));
        succeeds();
        fails();
        assertThat(times()).isEqualTo(2);
        begins(Command.PREPARE);
        switches.add(attempt(true));
        succeeds();

        fails();

        assertThat(times()).isEqualTo(1);
    }

    private static MoveReport.Switch attempt(boolean activated) {
        return new MoveReport.Switch(new TreeMap<>(), activated, 1, 2, Map.of(), List.of());
    }
}
