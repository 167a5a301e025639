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
import io.shardwright.dataplane.postgres.move.cleanup.DepartedRouters;
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
import io.shardwright.dataplane.postgres.move.truth.Standing;
import io.shardwright.dataplane.postgres.move.truth.TruthReader;
import io.shardwright.dataplane.postgres.move.verify.RowVerification;
import io.shardwright.dataplane.postgres.probe.MoveValidation;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.util.List;
import java.util.Set;
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
        watchdog = new Watchdog(watchdogs, this::reborn, this::watchdogActed, () -> closed);
    }

    private Incarnation reborn() {
        return new Incarnation(task, sessions, boundary, random);
    }

    /** A claiming command is a new mover: it ends what the one before had open, and needs none of its sessions. */
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
        Incarnation mover = claimant();
        board.lower(Stage.VALIDATED);
        if (!worthPreparing(observe())) {
            return;
        }
        ProgressRow progress = mover.takeOver();
        Truth truth = observe();
        MovedTables tables =
                mover.source().read("read the tables", connection -> MovedTables.read(connection, task.schema()));
        Standing standing = new Standing(task, truth);
        SortedSet<Integer> importing = standing.waiting();
        LogSequenceNumber from;
        if (new TruthReader(mover).resumable(progress) && standing.begun().containsAll(importing)) {
            from = progress.position();
        } else {
            from = prepareAgain(mover, tables, truth, importing);
        }
        board.stage(Stage.CATCHING_UP);
        Streaming running = Streaming.start(mover, tables, importing, from, this::streamEnded);
        streaming = running;
        finishFenced(new Switchover(running, watchdog, observe()), importing);
        new CatchUp(running, board).run();
    }

    /** Before anything is written: a move that has ended must leave no new trace. */
    private boolean worthPreparing(Truth truth) throws MoverFault {
        Standing standing = new Standing(task, truth);
        if (!standing.decidedAgainst().isEmpty()) {
            throw MoverFault.decidedAgainst(standing.decidedAgainst());
        }
        return !standing.waiting().isEmpty();
    }

    /** What was fenced before is finished first; the report says so before anything else happens. */
    private void finishFenced(Switchover switchover, SortedSet<Integer> among) throws MoverFault {
        List<Switch> finished = switchover.finishFenced(among);
        if (!finished.isEmpty()) {
            board.switched(finished);
            observe();
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

    void verify() throws MoverFault {
        Streaming running = running();
        RowVerification verification = new RowVerification(running);
        try {
            verification.run();
        } catch (MoverFault fault) {
            if (fault.kind() == Failure.Kind.DIVERGED) {
                stopStreaming();
                distrust();
            }
            throw fault;
        } finally {
            board.verification(verification.result());
        }
        board.stage(Stage.VERIFIED);
    }

    /** What is on the target is not what the source has: no mover may go on from it, so the next preparation copies anew. */
    private void distrust() throws MoverFault {
        board.lower(Stage.VALIDATED);
        incarnation.target().commit("forget the position", connection -> {
            ProgressRow.forgetPosition(connection, task.moveId(), incarnation.token());
            return null;
        });
    }

    void gate() throws MoverFault {
        board.gate(new SwitchGate(running()).measure());
    }

    void switchGroup(SortedSet<Integer> group) throws MoverFault {
        if (!streams()) {
            prepare(); // resumes and finishes what is fenced; whether the rest is right has to be verified again
            return;
        }
        Streaming running = running();
        Switchover switchover = new Switchover(running, watchdog, observe());
        var strange = switchover.strange(group);
        if (!strange.isEmpty()) {
            throw MoverFault.blocked(
                    "buckets cannot be switched from what the fence rows say: " + strange,
                    "compare the fence rows of both shards; they are read again in a few seconds");
        }
        try {
            finishFenced(switchover, group);
            if (!switchover.closed(group)) {
                switchFresh(running, switchover, group);
            }
        } finally {
            observe();
        }
    }

    private void switchFresh(Streaming running, Switchover switchover, SortedSet<Integer> group) throws MoverFault {
        if (board.get().stage() != Stage.VERIFIED) {
            throw MoverFault.blocked(
                    "the rows of buckets " + group + " are not verified",
                    "nothing: they are verified before the switch");
        }
        Gate gate = new SwitchGate(running).measure();
        board.gate(gate);
        if (gate.open()) {
            board.switched(List.of(switchover.fresh(group, gate.predictedMs().getAsDouble())));
        }
    }

    void abort() throws MoverFault {
        Incarnation mover = claimant();
        board.lower(Stage.VALIDATED);
        refuseAbortWhenAllMoved(observe());
        mover.takeOver();
        SortedSet<Integer> waiting = new Standing(task, observe()).waiting();
        SortedSet<Integer> against = new DecisionAgainst(mover, waiting).run();
        Truth truth = observe();
        refuseAbortWhenAllMoved(truth);
        new Abort(mover).run(against, new Standing(task, truth).activated());
        observe();
        board.stage(Stage.ABORTED);
    }

    private void refuseAbortWhenAllMoved(Truth truth) throws MoverFault {
        if (new Standing(task, truth).waiting().isEmpty()) {
            throw new MoverFault(
                    Failure.Kind.OTHER,
                    false,
                    "all buckets have been moved to shard " + task.target().shard() + " already",
                    "move them back with another move",
                    null);
        }
    }

    void cleanUp(Set<String> liveRouters) throws MoverFault {
        Incarnation mover = claimant();
        mover.takeOver();
        new DepartedRouters(mover, sessions).end(liveRouters);
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
            throw MoverFault.blocked(
                    "the stream is not running", "nothing: the move is prepared again, which starts it");
        }
        return running;
    }

    private void streamEnded(Streaming ended, MoverFault fault) {
        if (streaming == ended) {
            streaming = null;
        }
        if (closed) {
            return;
        }
        MoverFault told = fault;
        if (fault.kind() == Failure.Kind.DIVERGED) {
            try {
                distrust();
            } catch (MoverFault unforgotten) {
                told = unforgotten; // the stream will find the same row again, and tell
            }
        }
        board.fail(told.failure(), Stage.VALIDATED);
    }

    /** The watchdog has decided, or could not; the stream of the mover that it watched goes with its sessions. */
    private void watchdogActed(MoverFault fault) {
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
