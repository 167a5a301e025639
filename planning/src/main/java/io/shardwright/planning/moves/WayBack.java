package io.shardwright.planning.moves;

import io.shardwright.planning.moves.MoveObservation.MoverView;
import io.shardwright.planning.moves.MoveObservation.Stage;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * What the way there knows of the way back: what was seen and stored, from which it follows what can still be taken back.
 *
 * @param mover of the way back; its stage is FOLLOWING or COMPARED while the stream runs that makes a reversal possible
 * @param differed the status says that both sides differed when they were compared last, or when the reversal ended
 * @param comparedAge since this leader's mover found both sides equal; empty = it did not
 */
public record WayBack(MoverView mover, Outcome outcome, boolean differed, Optional<Duration> comparedAge) {
    public static final WayBack NONE = new WayBack(MoverView.FRESH, Outcome.OPEN, false, Optional.empty());

    /**
     * Nothing is deleted on an older comparison: a pause, a shut gate or a shard that was down may have come after it, and what
     * went wrong on the target meanwhile would go with the only right rows. Long enough that the ordinary way, where nothing
     * comes in between, compares once.
     */
    static final Duration COMPARISON_HOLDS = Duration.ofMinutes(10);

    /** Incurable ones end the way back; what a person can mend (a login, a grant) does not. */
    private static final Set<MoveFault.Kind> LOSSES = EnumSet.of(
            MoveFault.Kind.POSITION_LOST,
            MoveFault.Kind.SCHEMA_CHANGED,
            MoveFault.Kind.DIVERGED,
            MoveFault.Kind.DECIDED_AGAINST);

    /** How the reversal has ended. */
    public enum Outcome {
        /** it has not begun, or has not ended */
        OPEN,
        /** what it could take back is taken back, published and cleaned up */
        TAKEN_BACK,
        /** it was decided against: what it had not taken back stays on the target, and there is no second try */
        DECIDED_AGAINST
    }

    boolean isOpen() {
        return outcome == Outcome.OPEN;
    }

    /** Its stream runs; a comparison that found a difference does not end it. */
    public boolean follows() {
        boolean streams = mover.stage() == Stage.FOLLOWING || mover.stage() == Stage.COMPARED;
        return isOpen()
                && streams
                && mover.fault()
                        .filter(fault -> !differs(fault) || loses(fault))
                        .isEmpty();
    }

    /** Both sides were equal since the last activation, and not too long ago. */
    public boolean compared() {
        return foundEqual()
                && comparedAge
                        .filter(age -> age.compareTo(COMPARISON_HOLDS) < 0)
                        .isPresent();
    }

    private boolean foundEqual() {
        return follows() && mover.stage() == Stage.COMPARED && difference().isEmpty();
    }

    /** By this mover or one before; it stays so until a comparison finds both sides equal. */
    public boolean isKnownToDiffer() {
        return difference().isPresent() || differed && !foundEqual();
    }

    /** What the last comparison found, also while it is repeated. */
    public Optional<MoveFault> difference() {
        return fault().filter(WayBack::differs);
    }

    /** Nothing can be taken back any more, nor compared. */
    public boolean isLost() {
        return isClosed() || isBeingClosed() || fault().filter(WayBack::loses).isPresent();
    }

    /** Why nothing can be taken back; only of one that is lost. */
    String loss() {
        return fault().filter(WayBack::loses)
                .map(MoveFault::message)
                .orElse(isOpen() ? "the way back was lost" : "the reversal has ended");
    }

    /** Nothing of it is left in the databases. */
    public boolean isClosed() {
        return !isOpen()
                || (mover.stage() == Stage.ABORTED
                        && mover.running().isEmpty()
                        && mover.fault().isEmpty());
    }

    boolean isBeingClosed() {
        return mover.running()
                .filter(step -> step == MoveStep.ABORT || step == MoveStep.DISMISS)
                .isPresent();
    }

    boolean isBusy() {
        return mover.running().isPresent();
    }

    /** Of its last command, or what the running one tries to get past. */
    public Optional<MoveFault> fault() {
        return mover.fault().or(mover::retried);
    }

    /** It ends the way back for good. */
    public static boolean loses(MoveFault fault) {
        return !fault.curable() && LOSSES.contains(fault.kind());
    }

    private static boolean differs(MoveFault fault) {
        return fault.kind() == MoveFault.Kind.DIVERGED;
    }
}
