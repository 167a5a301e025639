package io.shardwright.controllers.bucketmove;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Progress;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover;
import io.shardwright.dataplane.ReportDraft;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MoverSeatTest {
    private final AtomicLong now = new AtomicLong(1);
    private final MoverSeat seat = new MoverSeat(now::get);
    private final List<Scripted> opened = new ArrayList<>();
    private final AtomicInteger rung = new AtomicInteger();

    /** A mover that does what the test says. */
    private static final class Scripted implements Mover {
        private final Runnable changed;
        private MoveReport report = MoverSeatTest.report(Optional.empty(), Optional.empty(), Progress.NONE, List.of());
        private boolean closed;

        private Scripted(Runnable changed) {
            this.changed = changed;
        }

        private void show(MoveReport next) {
            report = next;
            changed.run();
        }

        @Override
        public MoveReport report() {
            return report;
        }

        @Override
        public boolean begin(Command command) {
            show(MoverSeatTest.report(Optional.of(command), report.truth(), report.progress(), report.switches()));
            return true;
        }

        @Override
        public boolean beginCleanUp(Set<String> liveRouters) {
            return begin(Command.CLEAN_UP);
        }

        @Override
        public boolean beginReclaim(SortedSet<Scope> buckets) {
            return begin(Command.RECLAIM);
        }

        @Override
        public boolean beginSwitch(SortedSet<Scope> group) {
            return true;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private static MoveReport report(
            Optional<Mover.Command> running,
            Optional<MoveReport.Truth> truth,
            Progress progress,
            List<MoveReport.Switch> switches) {
        ReportDraft report = new ReportDraft(MoveReport.FRESH)
                .running(running, false)
                .progress(progress)
                .gate(true, "open", Optional.empty())
                .switches(switches);
        truth.ifPresent(report::truth);
        return report.done();
    }

    private void open(String password) {
        seat.open(this::opens, task(password), rung::incrementAndGet);
    }

    private Mover opens(MoveTask task, Runnable changed) {
        opened.add(new Scripted(changed));
        return mover();
    }

    private static MoveTask task(String password) {
        ShardAccess.Login login = new ShardAccess.Login("mover", password);
        ShardAccess access = new ShardAccess(
                "ds-0", List.of(), "shop", login, login, new ShardAccess.Tls(ShardAccess.Tls.Mode.DISABLE, null));
        ShardedSchema schema =
                new ShardedSchema(KeyType.INT64, new Bucketing(HashFunction.MD5, 4), List.of(), List.of());
        return new MoveTask(
                new UUID(0, 1), "orders", access, access, schema, Scope.buckets(1), MoveTask.Limits.defaults());
    }

    private Scripted mover() {
        return opened.get(opened.size() - 1);
    }

    private void ended() {
        mover().show(report(
                Optional.empty(),
                mover().report.truth(),
                Progress.NONE,
                mover().report.switches()));
    }

    @Test
    void aGateCountsFromTheEndOfItsMeasurementAndIsKnownWhileItIsMeasuredAgain() {
        open("secret");
        seat.begin(Mover.Command.GATE);
        assertThat(seat.view().orElseThrow().gateMeasured()).isEmpty();
        now.set(500);
        ended();
        now.set(900);
        assertThat(seat.view().orElseThrow().gateMeasured()).hasValue(500);

        seat.begin(Mover.Command.GATE);

        assertThat(seat.view().orElseThrow().gateMeasured()).hasValue(500);
    }

    @Test
    void aSwitchThatHasEndedTellsOfTheGateToo() {
        open("secret");
        mover().show(report(Optional.empty(), Optional.empty(), Progress.NONE, List.of()));

        mover().show(switching(true));
        now.set(700);
        ended();

        assertThat(seat.view().orElseThrow().gateMeasured()).hasValue(700);
    }

    @Test
    void aGateIsShutSinceTheFirstOfTheMeasurementsThatFoundItSo() {
        open("secret");
        measure(100, false);
        measure(900, false);
        assertThat(seat.view().orElseThrow().gateShutSince()).hasValue(100);

        measure(1_500, true);

        assertThat(seat.view().orElseThrow().gateShutSince()).isEmpty();
    }

    private void measure(long at, boolean open) {
        seat.begin(Mover.Command.GATE);
        now.set(at);
        MoveReport idle = report(Optional.empty(), Optional.empty(), Progress.NONE, List.of());
        mover().show(gate(idle, open));
    }

    private static MoveReport gate(MoveReport report, boolean open) {
        return new ReportDraft(report)
                .gate(open, open ? "open" : "shut", report.predictedHoldMs())
                .done();
    }

    @Test
    void whatWasFoundEqualCountsFromTheEndOfTheLastVerification() {
        open("secret");
        assertThat(seat.view().orElseThrow().verified()).isEmpty();
        verify(100, Stage.VERIFIED);
        now.set(400);
        assertThat(seat.view().orElseThrow().verified()).hasValue(100);

        verify(900, Stage.VERIFIED);
        assertThat(seat.view().orElseThrow().verified()).hasValue(900);
        verify(1_500, Stage.FOLLOWING);

        assertThat(seat.view().orElseThrow().verified()).isEmpty();
    }

    private void verify(long at, Stage reached) {
        mover().show(at(mover().report.stage(), Optional.of(Mover.Command.VERIFY)));
        now.set(at);
        mover().show(at(reached, Optional.empty()));
    }

    private static MoveReport at(Stage stage, Optional<Mover.Command> running) {
        MoveReport report = report(running, Optional.empty(), Progress.NONE, List.of());
        return new ReportDraft(report).stage(stage).done();
    }

    private static MoveReport switching(boolean switching) {
        MoveReport report = report(Optional.empty(), Optional.empty(), Progress.NONE, List.of());
        return new ReportDraft(report).running(Optional.empty(), switching).done();
    }

    @Test
    void aChangedLimitReplacesAnIdleMoverAndNotOneThatSwitches() {
        open("secret");
        mover().show(switching(true));
        seat.open(this::opens, withBudget(Duration.ofMillis(500)), rung::incrementAndGet);
        assertThat(opened).hasSize(1);
        ended();

        seat.open(this::opens, withBudget(Duration.ofMillis(500)), rung::incrementAndGet);

        assertThat(opened).hasSize(2);
        assertThat(seat.view().orElseThrow().limits().writeHoldBudget()).isEqualTo(Duration.ofMillis(500));
    }

    private static MoveTask withBudget(Duration budget) {
        MoveTask task = task("secret");
        MoveTask.Limits limits = task.limits();
        return new MoveTask(
                task.moveId(),
                task.cluster(),
                task.source(),
                task.target(),
                task.schema(),
                task.scopes(),
                new MoveTask.Limits(
                        budget,
                        limits.drainTimeout(),
                        limits.pauseMax(),
                        limits.lagGateBytes(),
                        limits.switchGroup(),
                        limits.acceptAsyncStandby(),
                        limits.throttling()));
    }

    @Test
    void switchesAreTakenOnce() {
        open("secret");
        MoveReport.Switch one = new MoveReport.Switch(new TreeMap<>(), true, 1, 2, Map.of(), List.of());
        mover().show(report(Optional.empty(), Optional.empty(), Progress.NONE, List.of(one)));
        assertThat(seat.takeSwitches()).hasSize(1);

        mover().show(report(Optional.empty(), Optional.empty(), Progress.NONE, List.of(one, one)));

        assertThat(seat.takeSwitches()).hasSize(1);
        assertThat(seat.takeSwitches()).isEmpty();
    }

    @Test
    void truthIsAsOldAsItsReadAndAnEqualOneReadAgainIsNew() {
        open("secret");
        now.set(10);
        mover().show(report(Optional.empty(), truth(), Progress.NONE, List.of()));
        now.set(50);
        assertThat(seat.view().orElseThrow().truthRead()).isEqualTo(10);

        mover().show(report(Optional.empty(), truth(), Progress.NONE, List.of()));

        assertThat(seat.view().orElseThrow().truthRead()).isEqualTo(50);
    }

    private static Optional<MoveReport.Truth> truth() {
        return Optional.of(new MoveReport.Truth(new TreeMap<>(), new TreeMap<>(), false));
    }

    @Test
    void progressAloneDoesNotRing() {
        open("secret");
        int before = rung.get();

        mover().show(report(Optional.empty(), Optional.empty(), new Progress(10, 100, 5, 0), List.of()));
        assertThat(rung).hasValue(before);
        mover().show(report(Optional.empty(), truth(), new Progress(10, 100, 5, 0), List.of()));

        assertThat(rung).hasValue(before + 1);
    }

    @Test
    void attemptsOfEarlierMoversAreCountedOn() {
        open("secret");
        MoveReport.Switch failed = new MoveReport.Switch(new TreeMap<>(), false, 1, 0, Map.of(), List.of());
        mover().show(report(Optional.empty(), Optional.empty(), Progress.NONE, List.of(failed, failed)));
        open("rotated");

        mover().show(report(Optional.empty(), Optional.empty(), Progress.NONE, List.of(failed)));

        assertThat(seat.attempts()).isEqualTo(3);
    }

    @Test
    void aChangedPasswordReplacesAnIdleMoverAndNoOther() {
        open("secret");
        open("secret");
        assertThat(opened).hasSize(1);
        seat.begin(Mover.Command.PREPARE);
        open("rotated");
        assertThat(opened).hasSize(1);
        ended();

        open("rotated");

        assertThat(opened).hasSize(2);
        assertThat(opened.get(0).closed).isTrue();
    }
}
