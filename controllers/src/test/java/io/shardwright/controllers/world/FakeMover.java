package io.shardwright.controllers.world;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Progress;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.MoveReport.Verification;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover;
import io.shardwright.dataplane.ReportDraft;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A mover that keeps the contract of the port: one command at a time on its own thread, truth read again at its end. */
final class FakeMover implements Mover {
    private final FenceWorld world;
    private final MoveTask task;
    private final Runnable changed;
    private final List<Command> begun = new ArrayList<>();
    private final Predicate<Command> stuck;
    private final Function<Command, Optional<MoveReport.Failure>> failing;
    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(Thread.ofVirtual().factory());
    private MoveReport report = MoveReport.FRESH;
    private boolean closed;

    FakeMover(
            FenceWorld world,
            MoveTask task,
            Runnable changed,
            Predicate<Command> stuck,
            Function<Command, Optional<MoveReport.Failure>> failing) {
        this.world = world;
        this.task = task;
        this.changed = changed;
        this.stuck = stuck;
        this.failing = failing;
    }

    @Override
    public synchronized MoveReport report() {
        return report;
    }

    @Override
    public boolean begin(Command command) {
        return start(Optional.of(command), () -> run(command));
    }

    @Override
    public boolean beginCleanUp(Set<String> liveRouters) {
        return begin(Command.CLEAN_UP);
    }

    @Override
    public boolean beginReclaim(SortedSet<Scope> scopes) {
        return start(Optional.of(Command.RECLAIM), () -> reclaim(scopes));
    }

    @Override
    public boolean beginSwitch(SortedSet<Scope> group) {
        return start(Optional.empty(), () -> switchOver(group));
    }

    private boolean start(Optional<Command> command, Runnable work) {
        synchronized (this) {
            if (closed || report.switching() || report.running().isPresent()) {
                return false;
            }
            report = with(report, command, command.isEmpty());
            command.ifPresent(begun::add);
        }
        changed.run();
        thread.execute(() -> {
            if (command.flatMap(failing).isEmpty()) {
                work.run();
            }
            end();
        });
        return true;
    }

    private void end() {
        synchronized (this) {
            if (closed || report.running().filter(stuck).isPresent()) {
                return;
            }
            Optional<MoveReport.Failure> failure = report.running().flatMap(failing);
            report = failure.isPresent() ? failed(report, failure.get()) : done(report);
        }
        changed.run(); // whoever hears of it asks for the report, and may hold what another who asks waits for
    }

    private MoveReport done(MoveReport report) {
        boolean readable = world.readable(task.source()) && world.readable(task.target());
        MoveReport idle = with(report, Optional.empty(), false);
        return readable ? truth(idle, read()) : idle;
    }

    private Truth read() {
        SortedMap<Scope, FenceRow> target = world.rows(task.target(), task.scopes());
        boolean filled = target.size() == task.scopes().size();
        return new Truth(world.rows(task.source(), task.scopes()), target, filled, world.demoted());
    }

    private void run(Command command) {
        switch (command) {
            case OBSERVE -> {}
            case VALIDATE -> stage(Stage.VALIDATED);
            case PREPARE -> prepare();
            case FOLLOW -> stage(Stage.FOLLOWING);
            case RETIRE -> stage(Stage.RETIRED);
            case VERIFY -> stage(Stage.VERIFIED);
            case GATE -> gate();
            case ABORT -> abort();
            case DEMOTE -> demote();
            case RESYNC -> resync();
            case RECLAIM -> throw new IllegalArgumentException("the caller of a reclaim says of which buckets");
            case CLEAN_UP -> cleanUp();
        }
    }

    private void cleanUp() {
        boolean done = !stuck.test(Command.CLEAN_UP);
        if (done) {
            world.foldBack(task.target(), task.scopes());
        }
        stage(done ? Stage.CLEANED_UP : report.stage());
    }

    /** A reversal takes back what the move has brought; a move of its own fills what is absent, and a key's tombstone. */
    private void prepare() {
        world.split(
                task.source(),
                task.scopes().stream().filter(Scope::isKey).collect(Collectors.toCollection(TreeSet::new)));
        FenceState there = task.reversalOf().isPresent() ? FenceState.MOVED : null;
        world.rows(task.source(), task.scopes()).forEach((scope, row) -> {
            if (row.state() == FenceState.OWNED
                    && (there == null || task.reversalOf().get().equals(row.moveId()))) {
                FenceRow importing = FenceWorld.row(
                        scope, FenceState.IMPORTING, row.epoch(), task.source().shard(), task.moveId());
                boolean tombstone = scope.isKey()
                        && world.rows(task.target(), task.scopes()).containsKey(scope);
                world.swap(task.target(), scope, tombstone ? FenceState.MOVED : there, importing);
            }
        });
        stage(stuck.test(Command.PREPARE) ? Stage.COPYING : Stage.IN_SYNC);
    }

    private synchronized void gate() {
        report = new ReportDraft(report)
                .progress(new Progress(3000, 3000, 1_000_000, 0))
                .verification(new Verification(1, 4, 0))
                .gate(true, "open", Optional.of(3.5))
                .failure(Optional.empty())
                .done();
    }

    private void switchOver(SortedSet<Scope> group) {
        SortedMap<Scope, Long> epochs = new TreeMap<>();
        world.rows(task.source(), group).forEach((scope, row) -> {
            long next = row.state() == FenceState.OWNED ? row.epoch() + 1 : row.epoch();
            FenceRow fenced =
                    FenceWorld.row(scope, FenceState.MOVED, next, task.target().shard(), task.moveId());
            world.swap(task.source(), scope, FenceState.OWNED, fenced);
            FenceRow owned =
                    FenceWorld.row(scope, FenceState.OWNED, next, task.target().shard(), task.moveId());
            if (world.swap(task.target(), scope, FenceState.IMPORTING, owned)) {
                epochs.put(scope, next);
            }
        });
        synchronized (this) {
            report = new ReportDraft(report)
                    .gate(true, "open", report.predictedHoldMs())
                    .switches(List.of(new MoveReport.Switch(
                            epochs, true, 3.5, 4.25, Map.of("drain", 1.0, "fence", 1.5), List.of())))
                    .failure(Optional.empty())
                    .done();
        }
    }

    private void reclaim(SortedSet<Scope> scopes) {
        world.rows(task.source(), scopes).forEach((scope, row) -> {
            if (task.moveId().equals(row.moveId()) && !world.readable(task.target())) {
                FenceRow owned = FenceWorld.row(
                        scope, FenceState.OWNED, row.epoch() + 1, task.source().shard(), task.moveId());
                world.swap(task.source(), scope, FenceState.MOVED, owned);
            }
        });
    }

    private void resync() {
        world.rows(task.source(), task.scopes()).forEach((scope, row) -> {
            boolean ours = task.moveId().equals(row.moveId()) && row.state() == FenceState.MOVED;
            FenceRow owned = FenceWorld.row(
                    scope, FenceState.OWNED, row.epoch(), task.target().shard(), task.moveId());
            if (ours) {
                world.swap(task.target(), scope, FenceState.IMPORTING, owned);
            }
        });
    }

    private void demote() {
        SortedMap<Scope, FenceRow> there = world.rows(task.target(), task.scopes());
        world.rows(task.source(), task.scopes()).forEach((scope, row) -> {
            FenceRow other = there.get(scope);
            if (row.epoch() < other.epoch()) {
                world.demote(task.source(), scope, other);
            } else if (other.epoch() < row.epoch()) {
                world.demote(task.target(), scope, row);
            }
        });
    }

    private void abort() {
        world.rows(task.target(), task.scopes())
                .forEach((scope, row) -> world.swap(
                        task.target(),
                        scope,
                        FenceState.IMPORTING,
                        FenceWorld.row(
                                scope,
                                FenceState.ABORTED,
                                row.epoch(),
                                task.source().shard(),
                                task.moveId())));
        world.rows(task.source(), task.scopes()).forEach((scope, row) -> {
            boolean ours = task.moveId().equals(row.moveId()) && row.state() == FenceState.MOVED;
            FenceRow back = FenceWorld.row(
                    scope,
                    FenceState.OWNED,
                    row.epoch() + (ours ? 1 : 2),
                    task.source().shard(),
                    task.reversalOf().map(any -> task.moveId()).orElse(null));
            FenceRow there = world.rows(task.target(), task.scopes()).get(scope);
            if (there != null && there.state() == FenceState.ABORTED) {
                world.swap(task.source(), scope, row.state(), back);
            }
        });
        task.reversalOf().ifPresent(this::tombstonesAgain);
        stage(Stage.ABORTED);
    }

    /** What a reversal was decided against for stays where the move has brought it. */
    private void tombstonesAgain(UUID move) {
        world.rows(task.source(), task.scopes()).forEach((scope, row) -> {
            FenceRow tombstone = FenceWorld.row(
                    scope, FenceState.MOVED, row.epoch(), task.source().shard(), move);
            FenceRow there = world.rows(task.target(), task.scopes()).get(scope);
            if (there.state() == FenceState.ABORTED && task.moveId().equals(there.moveId())) {
                world.swap(task.target(), scope, FenceState.ABORTED, tombstone);
            }
        });
    }

    private synchronized void stage(Stage stage) {
        report = new ReportDraft(report).stage(stage).done();
    }

    private static MoveReport with(MoveReport report, Optional<Command> running, boolean switching) {
        return new ReportDraft(report)
                .running(running, switching)
                .failure(Optional.empty())
                .done();
    }

    private static MoveReport failed(MoveReport report, MoveReport.Failure failure) {
        return new ReportDraft(report)
                .running(Optional.empty(), false)
                .failure(Optional.of(failure))
                .done();
    }

    private static MoveReport truth(MoveReport report, Truth truth) {
        return new ReportDraft(report).truth(truth).done();
    }

    synchronized long begun(Command command) {
        return begun.stream().filter(command::equals).count();
    }

    synchronized boolean closed() {
        return closed;
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        thread.shutdownNow();
    }
}
