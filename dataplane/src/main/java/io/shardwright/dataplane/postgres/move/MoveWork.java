package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveReport.Switch;
import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.move.apply.StreamStart;
import io.shardwright.dataplane.postgres.move.apply.Streaming;
import io.shardwright.dataplane.postgres.move.apply.Streaming.Pace;
import io.shardwright.dataplane.postgres.move.cleanup.CleanUp;
import io.shardwright.dataplane.postgres.move.cleanup.DepartedRouters;
import io.shardwright.dataplane.postgres.move.cleanup.Retirement;
import io.shardwright.dataplane.postgres.move.reversal.Reversal;
import io.shardwright.dataplane.postgres.move.switchover.Demotion;
import io.shardwright.dataplane.postgres.move.switchover.ForcedReclaim;
import io.shardwright.dataplane.postgres.move.switchover.Gate;
import io.shardwright.dataplane.postgres.move.switchover.SwitchGate;
import io.shardwright.dataplane.postgres.move.switchover.Switchover;
import io.shardwright.dataplane.postgres.move.switchover.Watchdog;
import io.shardwright.dataplane.postgres.move.throttle.Throttle;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.TruthReader;
import io.shardwright.dataplane.postgres.move.verify.RowVerification;
import io.shardwright.routing.Scope;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.random.RandomGenerator;

/** The commands of a mover; the table of contents of a move. Each one begins with the truth. */
final class MoveWork implements AutoCloseable {
    private final MoveTask task;
    private final PostgresSessions sessions;
    private final StepBoundary boundary;
    private final RandomGenerator random;
    private final ReportBoard board;
    private final Watchdog watchdog;
    private final Throttle throttle;
    private volatile Incarnation incarnation;
    private Judgement judgement;
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
        judgement = judgementOf(incarnation);
        throttle = new Throttle(task, board::throttle, this::logFills);
        watchdog = new Watchdog(watchdogs, this::reborn, this::watchdogActed, () -> closed);
    }

    private Incarnation reborn() {
        return new Incarnation(task, sessions, boundary, random);
    }

    /** A claiming command is a new mover: it ends what the one before had open, and needs none of its sessions. */
    private Incarnation claimant() throws MoverFault {
        stopStreaming();
        board.forgetFailure();
        incarnation.close();
        Incarnation next = reborn();
        incarnation = next;
        judgement = judgementOf(next);
        throttle.ride(next);
        if (closed) {
            next.close();
        }
        return next;
    }

    private Judgement judgementOf(Incarnation mover) {
        return new Judgement(mover, () -> observe(mover));
    }

    Truth observe() throws MoverFault {
        return observe(incarnation);
    }

    private Truth observe(Incarnation mover) throws MoverFault {
        Truth truth = new TruthReader(mover).read();
        board.truth(truth);
        return truth;
    }

    void validate() throws MoverFault {
        new Validation(incarnation).run();
        board.stage(Stage.VALIDATED);
    }

    void prepare() throws MoverFault {
        Incarnation mover = claimant();
        board.lower(base());
        Optional<StreamStart> begin = watched(() -> isReversal()
                ? new Reversal(mover, this::observe).prepare()
                : new Filling(mover, board, this::observe, throttle).run());
        if (begin.isPresent()) {
            Streaming running = start(mover, begin.get(), Pace.EAGER);
            finishFenced(
                    new Switchover(running, watchdog, observe()), begin.get().scopes());
            catchUp(running, Stage.IN_SYNC);
        }
    }

    /** A reversal that has not begun keeps its target's rows true, and that is all. */
    void follow() throws MoverFault {
        Incarnation mover = claimant();
        board.lower(base());
        StreamStart begin = watched(() -> new Reversal(mover, this::observe).follow());
        catchUp(start(mover, begin, Pace.LEISURELY), Stage.FOLLOWING);
    }

    /** A slot keeps the source's log also while no stream can begin, so somebody looks how much. */
    private <T> T watched(Incarnation.Effect<T> beginning) throws MoverFault {
        try {
            return beginning.happen();
        } catch (MoverFault fault) {
            throttle.begin();
            throw fault;
        }
    }

    private Streaming start(Incarnation mover, StreamStart begin, Pace pace) throws MoverFault {
        board.stage(Stage.CATCHING_UP);
        Judgement own = judgement;
        Streaming running = Streaming.start(mover, begin, pace, (ended, fault) -> streamEnded(ended, own, fault));
        streaming = running;
        return running;
    }

    private void catchUp(Streaming running, Stage reached) throws MoverFault {
        throttle.begin();
        try {
            new CatchUp(running, board).run(reached);
        } catch (MoverFault fault) {
            throw running.failed() ? judged(fault) : fault;
        }
    }

    /** What was fenced before is finished first; the report says so before anything else happens. */
    private void finishFenced(Switchover switchover, SortedSet<Scope> among) throws MoverFault {
        try (var hold = throttle.holdNow()) {
            List<Switch> finished = switchover.finishFenced(among);
            if (!finished.isEmpty()) {
                board.switched(finished);
                observe();
            }
        }
    }

    void verify() throws MoverFault {
        Optional<SortedSet<Scope>> followed =
                isReversal() ? new Reversal(incarnation, this::observe).followed() : Optional.empty();
        Streaming running = running();
        if (followed.isPresent() && board.get().stage() == Stage.VERIFIED) {
            board.stage(Stage.FOLLOWING); // what was equal before has to be so again
        }
        RowVerification verification = new RowVerification(
                running, followed.<Set<Scope>>map(moved -> moved).orElseGet(running::importing), throttle);
        try {
            verification.run();
        } catch (MoverFault fault) {
            boolean differs = fault.kind() == Failure.Kind.DIVERGED
                    && verification.result().mismatches() > 0;
            throw followed.isPresent() && differs ? Reversal.differs(task, fault) : unverified(fault);
        } finally {
            board.verification(verification.result());
        }
        board.stage(Stage.VERIFIED);
    }

    private MoverFault unverified(MoverFault fault) {
        if (fault.kind() == Failure.Kind.DIVERGED) {
            stopStreaming();
        }
        return judged(fault);
    }

    private MoverFault judged(MoverFault fault) {
        if (judgement.distrusts(fault)) {
            board.lower(base());
        }
        return judgement.of(fault);
    }

    void gate() throws MoverFault {
        board.gate(throttle.over(new SwitchGate(running()).measure()));
    }

    void switchGroup(SortedSet<Scope> group) throws MoverFault {
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
                switchFresh(switchover, group);
            }
        } finally {
            observe();
        }
    }

    /** Measured in the hold, because a look that the hold waits for may take longer than a measurement is fresh. */
    private void switchFresh(Switchover switchover, SortedSet<Scope> group) throws MoverFault {
        if (board.get().stage() != Stage.VERIFIED) {
            throw MoverFault.blocked(
                    "the rows of " + Scope.words(group) + " are not verified",
                    "nothing: they are verified before the switch");
        }
        try (var hold = throttle.hold()) {
            Gate gate = throttle.over(new SwitchGate(running()).measure());
            board.gate(gate);
            if (gate.open()) {
                board.switched(
                        List.of(switchover.fresh(group, gate.predictedMs().getAsDouble())));
            }
        }
    }

    void abort() throws MoverFault {
        Incarnation mover = claimant();
        board.lower(base());
        if (isReversal()) {
            new Reversal(mover, this::observe).abort();
        } else {
            new Aborting(mover, board, this::observe).run();
        }
        board.stage(Stage.ABORTED);
    }

    void resync() throws MoverFault {
        Incarnation mover = claimant();
        try {
            board.switched(List.of(new Resync(mover, board, this::observe).run()));
        } finally {
            board.lower(base());
            observe();
        }
    }

    /** Claims nothing: what is written follows from the fence rows alone, whoever writes it and how often. */
    void demote() throws MoverFault {
        Incarnation mover = claimant();
        board.lower(base());
        Truth seen = observe();
        try {
            new Demotion(mover).run(seen);
        } finally {
            observe();
        }
    }

    void reclaim(SortedSet<Scope> scopes) throws MoverFault {
        Incarnation mover = claimant();
        board.lower(base());
        ForcedReclaim reclaim = new ForcedReclaim(mover, scopes);
        reclaim.claim();
        if (reclaim.targetAnswers()) {
            observe();
            throw reclaim.unnecessary();
        }
        throw reclaim.run();
    }

    void cleanUp(Set<String> liveRouters) throws MoverFault {
        Incarnation mover = claimant();
        mover.takeOver();
        CleanUp cleanUp = new CleanUp(mover, observe(), throttle, board::keyHold);
        cleanUp.refuseTooEarly();
        if (cleanUp.deletesRows()) {
            new DepartedRouters(mover, sessions).end(liveRouters);
        }
        cleanUp.run();
        board.stage(Stage.CLEANED_UP);
    }

    void retire() throws MoverFault {
        Incarnation mover = claimant();
        board.lower(base());
        new Retirement(mover, this::observe).run();
        board.stage(Stage.RETIRED);
    }

    private boolean isReversal() {
        return task.reversalOf().isPresent();
    }

    /** What a mover falls back to: a reversal is looked at with the move that it takes back. */
    private Stage base() {
        return isReversal() ? Stage.NONE : Stage.VALIDATED;
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

    /** What a stream says that was stopped meanwhile concerns nobody any more; least of all the mover that has come since. */
    private void streamEnded(Streaming ended, Judgement own, MoverFault fault) {
        if (closed || ended.incarnation() != incarnation) {
            return;
        }
        if (streaming == ended && own.distrusts(fault)) {
            board.lower(base()); // before the commit that forgets the position: nobody switches meanwhile
        }
        MoverFault told = own.of(fault);
        synchronized (this) {
            if (streaming == ended) {
                streaming = null;
                board.fail(told.failure(), base());
            }
        }
    }

    /** A command that waits ends with it by itself. */
    private void logFills(MoverFault fault) {
        Streaming running = streaming;
        MoveReport now = board.get();
        if (running != null) {
            running.fail(fault);
        } else if (now.running().isEmpty() && !now.switching() && !now.failure().equals(Optional.of(fault.failure()))) {
            board.fail(fault.failure(), base());
        }
    }

    /** The watchdog has decided, or could not; the stream of the mover that it watched goes with its sessions. */
    private void watchdogActed(MoverFault fault) {
        if (!closed) {
            board.fail(fault.failure(), base());
        }
    }

    private void stopStreaming() {
        Streaming running;
        synchronized (this) {
            running = streaming;
            streaming = null;
        }
        if (running != null) {
            running.close();
        }
    }

    @Override
    public void close() {
        closed = true;
        throttle.close();
        stopStreaming();
        incarnation.close();
    }
}
