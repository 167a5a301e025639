package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveReport.Switch;
import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.move.apply.Streaming;
import io.shardwright.dataplane.postgres.move.cleanup.Abort;
import io.shardwright.dataplane.postgres.move.cleanup.CleanUp;
import io.shardwright.dataplane.postgres.move.copy.Preparation;
import io.shardwright.dataplane.postgres.move.copy.SnapshotCopy;
import io.shardwright.dataplane.postgres.move.switchover.DecisionAgainst;
import io.shardwright.dataplane.postgres.move.switchover.Gate;
import io.shardwright.dataplane.postgres.move.switchover.SwitchGate;
import io.shardwright.dataplane.postgres.move.switchover.Switchover;
import io.shardwright.dataplane.postgres.move.switchover.Watchdog;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;
import io.shardwright.dataplane.postgres.move.truth.TruthReader;
import io.shardwright.dataplane.postgres.move.verify.RowVerification;
import io.shardwright.dataplane.postgres.probe.MoveValidation;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.postgresql.replication.LogSequenceNumber;

/** The commands of a mover; the table of contents of a move. Each one begins with the truth. */
final class MoveWork implements AutoCloseable {
    private final MoveTask task;
    private final PostgresSessions sessions;
    private final StepBoundary boundary;
    private final RandomGenerator random;
    private final ReportBoard board;
    private final Watchdog watchdog;
    private volatile Incarnation incarnation;
    private volatile Streaming streaming;
    private volatile boolean closed;

    MoveWork(
            MoveTask task,
            PostgresSessions sessions,
            StepBoundary boundary,
            RandomGenerator random,
            ScheduledExecutorService watchdogs,
            ReportBoard board) {
        this.task = task;
        this.sessions = sessions;
        this.boundary = boundary;
        this.random = random;
        this.board = board;
        incarnation = reborn();
        watchdog = new Watchdog(watchdogs, this::reborn, fault -> streamEnded(null, fault));
    }

    private Incarnation reborn() {
        return new Incarnation(task, sessions, boundary, random);
    }

    /** A claiming command is a new mover: it ends what the one before had open. */
    private Incarnation claimant() throws MoverFault {
        stopStreaming();
        incarnation.close();
        Incarnation next = reborn();
        incarnation = next;
        if (closed) {
            next.close();
        }
        return next;
    }

    Truth observe() throws MoverFault {
        Truth truth = new TruthReader(incarnation).read();
        board.truth(truth);
        return truth;
    }

    void validate() throws MoverFault {
        List<Problem> problems = incarnation
                .source()
                .outsideTransaction(
                        "validate",
                        source -> incarnation
                                .target()
                                .outsideTransaction("validate", target -> MoveValidation.check(source, target, task)));
        if (!problems.isEmpty()) {
            throw new MoverFault(
                    Failure.Kind.VALIDATION,
                    true,
                    problems.stream().map(Problem::message).collect(Collectors.joining("; ")),
                    "change what is named on the shards; it is checked again",
                    null);
        }
        board.stage(Stage.VALIDATED);
    }

    void prepare() throws MoverFault {
        refuseWhenDecidedAgainst(observe());
        Incarnation mover = claimant();
        ProgressRow progress = mover.claim();
        mover.terminate(mover.sessionPrefix());
        Truth truth = observe();
        MovedTables tables =
                mover.source().read("read the tables", connection -> MovedTables.read(connection, task.schema()));
        SortedSet<Integer> importing = waiting(truth);
        LogSequenceNumber from;
        if (new TruthReader(mover).resumable(progress) && begun(truth).containsAll(importing)) {
            from = progress.position();
        } else {
            from = prepareAgain(mover, tables, truth, importing);
        }
        board.stage(Stage.CATCHING_UP);
        streaming = Streaming.start(mover, tables, importing, from, this::streamEnded);
        switched(new Switchover(streaming, watchdog, observe()).finishFenced(importing));
        new CatchUp(streaming, board).run();
    }

    /** Before anything is written: a move that has ended must leave no new trace. */
    private void refuseWhenDecidedAgainst(Truth truth) throws MoverFault {
        SortedSet<Integer> against = truth.target().values().stream()
                .filter(row ->
                        row.state() == FenceState.ABORTED && task.moveId().equals(row.moveId()))
                .map(FenceRow::bucket)
                .collect(Collectors.toCollection(TreeSet::new));
        if (!against.isEmpty()) {
            throw MoverFault.decidedAgainst(against);
        }
    }

    private LogSequenceNumber prepareAgain(
            Incarnation mover, MovedTables tables, Truth truth, SortedSet<Integer> importing) throws MoverFault {
        SortedMap<Integer, Long> owned = new TreeMap<>();
        for (int bucket : importing) {
            FenceRow row = truth.source().get(bucket);
            if (row != null && row.state() == FenceState.OWNED) {
                owned.put(bucket, row.epoch());
            }
        }
        if (!owned.keySet().equals(importing)) {
            SortedSet<Integer> fenced = new TreeSet<>(importing);
            fenced.removeAll(owned.keySet());
            throw lostAfterFence(mover, fenced);
        }
        board.stage(Stage.COPYING);
        new Preparation(mover, tables, owned).run();
        return new SnapshotCopy(mover, tables, importing, board::progress).run();
    }

    /** The log position is gone and the source is fenced: it is complete and reopens at once. */
    private MoverFault lostAfterFence(Incarnation mover, SortedSet<Integer> fenced) throws MoverFault {
        SortedSet<Integer> against = new DecisionAgainst(mover, fenced).run();
        observe();
        return against.isEmpty()
                ? MoverFault.blocked(
                        "buckets " + fenced + " are not owned by shard "
                                + mover.source().shard(),
                        "look at the fence rows of both shards")
                : MoverFault.decidedAgainst(against);
    }

    /** Buckets that are not activated yet. */
    private SortedSet<Integer> waiting(Truth truth) {
        SortedSet<Integer> waiting = new TreeSet<>(task.buckets());
        truth.target().values().stream()
                .filter(row -> row.state() == FenceState.OWNED && task.moveId().equals(row.moveId()))
                .forEach(row -> waiting.remove(row.bucket()));
        return waiting;
    }

    private SortedSet<Integer> begun(Truth truth) {
        return truth.target().values().stream()
                .filter(row ->
                        row.state() == FenceState.IMPORTING && task.moveId().equals(row.moveId()))
                .map(FenceRow::bucket)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    void verify() throws MoverFault {
        Streaming running = running();
        RowVerification verification =
                new RowVerification(running, board.get().progress().rowsTotal());
        try {
            verification.run();
        } finally {
            board.verification(verification.result());
        }
        board.stage(Stage.VERIFIED);
    }

    void gate() throws MoverFault {
        board.gate(new SwitchGate(running()).measure());
    }

    void switchGroup(SortedSet<Integer> group) throws MoverFault {
        if (!streams()) {
            prepare(); // a fresh mover resumes at the progress row, and finishes what an earlier one has fenced
        }
        Streaming running = running();
        Truth truth = observe();
        Switchover switchover = new Switchover(running, watchdog, truth);
        var strange = switchover.strange(group);
        if (!strange.isEmpty()) {
            throw MoverFault.blocked(
                    "buckets cannot be switched from what the fence rows say: " + strange, "the truth is read again");
        }
        try {
            switched(switchover.finishFenced(group));
            Gate gate = new SwitchGate(running).measure();
            board.gate(gate);
            if (gate.open()) {
                switched(switchover.run(group, gate.predictedMs().getAsDouble()));
            }
        } finally {
            observe();
        }
    }

    private void switched(List<Switch> attempts) {
        if (!attempts.isEmpty()) {
            board.switched(attempts);
        }
    }

    void abort() throws MoverFault {
        Incarnation mover = claimant();
        mover.claim();
        mover.terminate(mover.sessionPrefix());
        SortedSet<Integer> against = new DecisionAgainst(mover, task.buckets()).run();
        Truth truth = observe();
        SortedSet<Integer> activated = new TreeSet<>(task.buckets());
        activated.removeAll(waiting(truth));
        if (activated.containsAll(task.buckets())) {
            throw new MoverFault(
                    Failure.Kind.OTHER,
                    false,
                    "all buckets are on shard " + mover.target().shard() + " already",
                    "move them back with another move",
                    null);
        }
        new Abort(mover).run(against, activated);
        observe();
        board.stage(Stage.ABORTED);
    }

    void cleanUp() throws MoverFault {
        Incarnation mover = claimant();
        mover.claim();
        mover.terminate(mover.sessionPrefix());
        new CleanUp(mover).run(observe());
        board.stage(Stage.CLEANED_UP);
    }

    private boolean streams() {
        Streaming running = streaming;
        return running != null && !running.failed();
    }

    private Streaming running() throws MoverFault {
        Streaming running = streaming;
        if (running == null || running.failed()) {
            throw MoverFault.blocked("the stream is not running", "none: the move is prepared again");
        }
        return running;
    }

    private void streamEnded(Streaming ended, MoverFault fault) {
        if (streaming == ended) {
            streaming = null;
        }
        if (!closed) {
            board.fail(fault.failure(), Stage.VALIDATED);
        }
    }

    private void stopStreaming() {
        Streaming running = streaming;
        streaming = null;
        if (running != null) {
            running.close();
        }
    }

    @Override
    public void close() {
        closed = true;
        stopStreaming();
        incarnation.close();
    }
}
