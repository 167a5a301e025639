package io.shardwright.planning.moves;

import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.windows.Closure;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Everything the move planner may look at, read by the observer in one pass. Durations are measured by the leader's
 * monotonic clock and begin at zero with every leader, so a restart or a clock that jumps can only lengthen a wait.
 *
 * @param stored phase of the status, PENDING when there is none
 * @param intent what is wanted of this leg
 * @param pointOfNoReturn deletion of source rows may have begun; stored before it begins, never unset
 * @param wayBack what is known of the other leg; {@link WayBack#NONE} when this is the way back itself
 * @param forceReclaim of which move, by its id, a person has said that its fenced buckets go back without an answer of the target
 * @param foldedFor how long this leader has seen the bucket map name the new owner of all that moved
 * @param truth fence rows of both sides, read after the mover's last command ended; empty = unread, or one side
 *     unreadable: nothing is decided
 */
public record MoveObservation(
        Task task,
        MovePhase stored,
        Intent intent,
        boolean pointOfNoReturn,
        Admission admission,
        Optional<Truth> truth,
        MoverView mover,
        WayBack wayBack,
        TableView table,
        Acks acks,
        Optional<String> forceReclaim,
        Duration foldedFor,
        Drain drain,
        Instant now) {

    /** What is wanted of a leg; for the way back {@code RUN} means that it is still wanted. */
    public enum Intent {
        RUN,
        PAUSE,
        ABORT,
        /** only of the way there: take back what was switched */
        REVERSE,
        /** only of the way there: clean up now, without waiting for the soak */
        COMPLETE
    }

    /** A move has a way there, and may have a way back: the reversal, a move of its own from the target to the source. */
    public enum Leg {
        THERE,
        BACK
    }

    /**
     * What the move is; never changes.
     *
     * @param otherLeg id of the other leg: fence rows with it are those of the reversal, or of the move that is reversed
     * @param soak how long what was switched stays reversible
     * @param switchGroup buckets switched under one hold, 1..16
     * @param handoverTimeout longest wait for workers before web processes are told too
     */
    public record Task(
            UUID moveId,
            UUID otherLeg,
            Leg leg,
            String from,
            String to,
            SortedSet<Scope> scopes,
            int switchGroup,
            Duration handoverTimeout,
            Duration soak) {
        public Task {
            scopes = frozen(scopes);
        }

        /** The switch groups in ascending order; the same cut in the announcement and in every attempt. */
        public List<SortedSet<Scope>> groups() {
            List<Scope> all = List.copyOf(scopes);
            List<SortedSet<Scope>> groups = new java.util.ArrayList<>();
            for (int from = 0; from < all.size(); from += switchGroup) {
                groups.add(frozen(new TreeSet<>(all.subList(from, Math.min(all.size(), from + switchGroup)))));
            }
            return List.copyOf(groups);
        }
    }

    /**
     * What others allow; see {@code planning.arbiter}.
     *
     * @param refusal why the spec cannot be accepted as things are (cluster, shards, owners); empty = accepted
     * @param start who must end before this move may begin; not asked once it has begun
     * @param hold what keeps a move that has begun from its next step: a suspended cluster
     * @param switching who is in a switch on one of the two databases
     * @param closed why by windows and freezes no switch and no cleanup begins now; a way back does not ask
     */
    public record Admission(
            Optional<String> refusal,
            List<MoveDecision.Blocker> start,
            List<MoveDecision.Blocker> hold,
            List<MoveDecision.Blocker> switching,
            Optional<Closure> closed) {
        public static final Admission FREE =
                new Admission(Optional.empty(), List.of(), List.of(), List.of(), Optional.empty());

        public Admission {
            start = List.copyOf(start);
            hold = List.copyOf(hold);
            switching = List.copyOf(switching);
        }
    }

    /**
     * @param source fence rows of the set on the source, by bucket; no entry = no row
     * @param target the same on the target
     * @param resumable the copy is complete and the stream can go on at the progress row
     * @param age since it was read; old truth is read again, and before anything destructive it must be fresh
     * @param demoted by bucket the shard that was the older of two owners and was closed, while nobody has said that its rows
     *     were looked at
     */
    public record Truth(
            SortedMap<Scope, FenceRow> source,
            SortedMap<Scope, FenceRow> target,
            boolean resumable,
            Duration age,
            SortedMap<Scope, String> demoted) {
        public Truth {
            source = Collections.unmodifiableSortedMap(new TreeMap<>(source));
            target = Collections.unmodifiableSortedMap(new TreeMap<>(target));
            demoted = Collections.unmodifiableSortedMap(new TreeMap<>(demoted));
        }
    }

    /**
     * What this process's mover has reached; a fresh mover is at NONE whatever happened before.
     *
     * @param running the step it works on now
     * @param gate the last measurement, by a command or by a switch; kept while it is measured again
     * @param ofWork how its work or its stream has failed; gone when it works again, and no look at the fence rows cures it
     * @param ofLook how the last look has failed; gone when the next command begins
     * @param retried the fault that the running command tries to get past, until it has
     */
    public record MoverView(
            Stage stage,
            Optional<MoveStep> running,
            Optional<Gate> gate,
            Optional<MoveFault> ofWork,
            Optional<MoveFault> ofLook,
            Optional<MoveFault> retried) {
        public static final MoverView FRESH = new MoverView(
                Stage.NONE, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

        MoverView idle() {
            return new MoverView(stage, Optional.empty(), gate, ofWork, ofLook, retried);
        }

        /** The newest that nothing tries to get past now: what nobody could read hides what had failed before. */
        public Optional<MoveFault> fault() {
            return retried.isPresent() ? Optional.empty() : ofLook.or(() -> ofWork);
        }
    }

    public enum Stage {
        NONE,
        VALIDATED,
        COPYING,
        CATCHING_UP,
        /** copied, and the stream has been within the lag gate */
        IN_SYNC,
        VERIFIED,
        /** of the way back, not begun: its stream keeps the rows of the source true */
        FOLLOWING,
        /** it follows, and both sides were equal at one of its markers since the last activation */
        COMPARED,
        /** all is activated, and the source's log is not read any more */
        RETIRED,
        ABORTED,
        CLEANED_UP
    }

    /**
     * @param reason why it is shut: "predicted hold 410 ms is above the budget of 300 ms"
     * @param shutFor how long every measurement has found it shut; zero when it is open
     * @param sessions whose transactions keep it shut, for people; empty for other causes
     */
    public record Gate(
            boolean open, String reason, Duration age, Duration shutFor, GateCause cause, List<String> sessions) {
        public Gate {
            sessions = List.copyOf(sessions);
        }

        public static Gate open(Duration age) {
            return new Gate(true, "", age, Duration.ZERO, GateCause.NONE, List.of());
        }
    }

    /** What keeps a gate shut, and what a person can do about it. */
    public enum GateCause {
        NONE("nothing"),
        BEHIND("wait until the stream has caught up; with less write load on the source it catches up sooner"),
        OPEN_TRANSACTION("end the transactions of the sessions in blockedBy, or wait for their end"),
        THROTTLED("wait until the shard that is named has recovered, or see what keeps its standbys and its disk back"),
        UNPREDICTED("wait: the hold is predicted from a few samples"),
        OVER_BUDGET(
                "wait for less load, or raise writeHoldBudget: in the ShardPolicy, or, where the move names its own, by a new move");

        private final String advice;

        GateCause(String advice) {
            this.advice = advice;
        }

        public String advice() {
            return advice;
        }
    }

    /**
     * What the published table says about the buckets of this move.
     *
     * @param announced buckets in a handover to the target
     * @param visibleToWorkers of these, those workers route by
     * @param visibleToWeb of these, those web processes route by
     * @param folded buckets whose entry in the bucket map is the target
     * @param sinceChange since the table was last changed for this move
     * @param sinceWorkers since a bucket of this move was last made visible to workers
     * @param sinceWeb since a bucket of this move was last made visible to web processes
     */
    public record TableView(
            SortedSet<Scope> announced,
            SortedSet<Scope> visibleToWorkers,
            SortedSet<Scope> visibleToWeb,
            SortedSet<Scope> folded,
            Duration sinceChange,
            Duration sinceWorkers,
            Duration sinceWeb) {
        public TableView {
            announced = frozen(announced);
            visibleToWorkers = frozen(visibleToWorkers);
            visibleToWeb = frozen(visibleToWeb);
            folded = frozen(folded);
        }
    }

    /**
     * @param announced all live routers have applied the announcement
     * @param workers all live workers have applied the revision that made it visible to them
     * @param web the same for web processes
     * @param folded all live routers have applied the folded revision and have nothing older in flight
     * @param foldedOpenFor how long this leader has seen {@code folded} continuously open
     */
    public record Acks(AckGate announced, AckGate workers, AckGate web, AckGate folded, Duration foldedOpenFor) {}

    /**
     * @param failedAttempts to drain, in a row, since the last group was switched
     * @param sinceLast since the last of them ended
     * @param sessions who held the scope, for people: "pid 4711 user app 'orders-web' 31 s"
     */
    public record Drain(int failedAttempts, Duration sinceLast, List<String> sessions) {
        public static final Drain NONE = new Drain(0, Duration.ZERO, List.of());

        public Drain {
            sessions = List.copyOf(sessions);
        }
    }

    /** When to ask again after a rest: never for what is due, which is done now, nor beside a command, whose end rings. */
    Optional<Instant> after(Duration rest) {
        boolean due = rest.isNegative() || rest.isZero();
        return due || mover.running().isPresent() ? Optional.empty() : Optional.of(now.plus(rest));
    }

    /** The same, as if the mover did nothing. */
    MoveObservation idle() {
        return new MoveObservation(
                task,
                stored,
                intent,
                pointOfNoReturn,
                admission,
                truth,
                mover.idle(),
                wayBack,
                table,
                acks,
                forceReclaim,
                foldedFor,
                drain,
                now);
    }

    /** What has not moved shall stay; of a move that is to be taken back that is the first thing. */
    boolean abortWanted() {
        return intent == Intent.ABORT || intent == Intent.REVERSE;
    }

    boolean isWayThere() {
        return task.leg() == Leg.THERE;
    }

    /** No further step is wanted: of this move by its intent, or of all moves of the cluster. */
    boolean standsStill() {
        return intent == Intent.PAUSE || !admission.hold().isEmpty();
    }

    /** What is left of the soak, or would be if it began now; not positive when it is over or was ended on request. */
    public Duration soakLeft() {
        return intent == Intent.COMPLETE ? Duration.ZERO : task.soak().minus(foldedFor);
    }

    private static SortedSet<Scope> frozen(SortedSet<Scope> scopes) {
        return Collections.unmodifiableSortedSet(new TreeSet<>(scopes));
    }
}
