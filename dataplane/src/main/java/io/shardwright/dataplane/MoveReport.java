package io.shardwright.dataplane;

import io.shardwright.routing.FenceRow;
import io.shardwright.routing.Scope;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How far a mover is; an immutable snapshot.
 *
 * @param running the command that runs now
 * @param truth fence rows of both sides as last read; empty until the first read succeeded
 * @param stage what has been reached by this mover in this process; a new mover starts at NONE whatever the truth says
 * @param predictedHoldMs empty = unknown = no switch
 * @param switches finished attempts, oldest first
 * @param failure of the last command; cleared when the next one begins
 * @param keyHolds of the writers of a bucket while keys of it were split off or folded back, oldest first
 */
public record MoveReport(
        Optional<Mover.Command> running,
        boolean switching,
        Optional<Truth> truth,
        Stage stage,
        Progress progress,
        Verification verification,
        Optional<Double> predictedHoldMs,
        boolean gateOpen,
        String gateReason,
        List<Switch> switches,
        Optional<Failure> failure,
        List<KeyHold> keyHolds) {
    /** Of a mover that has not done anything yet. */
    public static final MoveReport FRESH = new MoveReport(
            Optional.empty(),
            false,
            Optional.empty(),
            Stage.NONE,
            Progress.NONE,
            Verification.NONE,
            Optional.empty(),
            false,
            "not measured",
            List.of(),
            Optional.empty(),
            List.of());

    public enum Stage {
        NONE,
        VALIDATED,
        COPYING,
        CATCHING_UP,
        /** copied, and the stream has been within the lag gate */
        IN_SYNC,
        VERIFIED,
        /** of a reversal that has not begun: its stream keeps the rows true */
        FOLLOWING,
        /** all is activated, and the source's log is not read any more */
        RETIRED,
        ABORTED,
        CLEANED_UP
    }

    /**
     * @param source fence rows of the set on the source, by bucket; no entry = no row
     * @param target the same on the target
     * @param resumable the copy is complete and the stream can go on at the progress row
     * @param demoted by bucket the shard that was the older of two owners and was closed; it stays here until a person has
     *     looked at the rows that it took
     */
    public record Truth(
            SortedMap<Scope, FenceRow> source,
            SortedMap<Scope, FenceRow> target,
            boolean resumable,
            SortedMap<Scope, String> demoted) {
        public Truth(SortedMap<Scope, FenceRow> source, SortedMap<Scope, FenceRow> target, boolean resumable) {
            this(source, target, resumable, new TreeMap<>());
        }
    }

    /**
     * @param throttled who or what makes everything wait that can; empty = nothing does
     * @param warning what makes the copy slow, or will end the move when it goes on so; nothing waits for it
     */
    public record Progress(
            long rowsCopied,
            long rowsTotal,
            long bytesPerSecond,
            long lagBytes,
            Optional<String> throttled,
            Optional<String> warning) {
        public static final Progress NONE = new Progress(0, 0, 0, 0);

        public Progress(long rowsCopied, long rowsTotal, long bytesPerSecond, long lagBytes) {
            this(rowsCopied, rowsTotal, bytesPerSecond, lagBytes, Optional.empty(), Optional.empty());
        }

        /** The same under another throttle. */
        public Progress throttle(Optional<String> stopped, Optional<String> slowed) {
            return new Progress(rowsCopied, rowsTotal, bytesPerSecond, lagBytes, stopped, slowed);
        }
    }

    /** @param mismatches rows that differ outside of what the stream still carries */
    public record Verification(int rounds, int chunks, long mismatches) {
        public static final Verification NONE = new Verification(0, 0, 0);
    }

    /** @param milliseconds for which the writers of one bucket may have waited */
    public record KeyHold(Cause cause, double milliseconds) {
        public enum Cause {
            /** keys of the bucket got fence rows of their own */
            SPLIT,
            /** they lost them again */
            FOLD
        }
    }

    /**
     * One attempt to switch a group.
     *
     * @param activated false: drain timed out or the attempt was given up before the fence; writers went on
     * @param parts milliseconds by name: drain, fence, hop, apply, release
     * @param blockers sessions that held the scope, for the status: "pid 4711 user app 'orders-web' 31 s"
     */
    public record Switch(
            SortedMap<Scope, Long> epochs,
            boolean activated,
            double predictedMs,
            double holdMs,
            Map<String, Double> parts,
            List<String> blockers) {}

    /** @param curable repeated or helped from outside it may still succeed; false: the move ends Failed */
    public record Failure(Kind kind, boolean curable, String message, String nextAction) {
        public enum Kind {
            UNREACHABLE,
            /** the source refuses every write, and can be read */
            SOURCE_READ_ONLY,
            VALIDATION,
            FOREIGN_ROWS,
            SCHEMA_CHANGED,
            POSITION_LOST,
            DIVERGED,
            SUPERSEDED,
            DECIDED_AGAINST,
            TWO_OWNERS,
            RECLAIMED,
            OTHER
        }
    }
}
