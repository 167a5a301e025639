package io.shardwright.planning.moves;

import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.util.Optional;
import java.util.UUID;

/** The recovery table of one direction, for a move that knows of no other: the same for the way there and the way back. */
final class OneWay {
    private final UUID moveId;

    OneWay(UUID moveId) {
        this.moveId = moveId;
    }

    RecoveryAction decide(Optional<FenceRow> source, Optional<FenceRow> target) {
        return switch (state(source)) {
            case OWNED -> ownedBySource(source.orElseThrow(), target);
            case MOVED -> isOurs(source) ? fencedByUs(source.orElseThrow(), target) : foreign(target);
            case ABSENT, IMPORTING, ABORTED, DRAINING -> foreign(target);
        };
    }

    boolean begun(Optional<FenceRow> source, Optional<FenceRow> target) {
        return isOurs(source) || isOurs(target);
    }

    /** The tombstone of the move that brought the bucket here has the very epoch of its new owner. */
    private RecoveryAction ownedBySource(FenceRow source, Optional<FenceRow> target) {
        return switch (state(target)) {
            case OWNED -> RecoveryAction.FREEZE;
            case ABSENT -> RecoveryAction.BEGIN;
            case MOVED -> besideATombstone(source, target);
            case ABORTED -> isOurs(target) ? RecoveryAction.FINISH_ABORT : RecoveryAction.BEGIN;
            case IMPORTING -> besideWhatIsFilled(source, target);
            case DRAINING -> RecoveryAction.BLOCK;
        };
    }

    /** Our own is the target's when it was the older of two owners: the source had taken the bucket back. */
    private RecoveryAction besideATombstone(FenceRow source, Optional<FenceRow> target) {
        long epoch = target.orElseThrow().epoch();
        if (isOurs(target)) {
            return wasReclaimed(source) && epoch == source.epoch() ? RecoveryAction.FINISH_ABORT : RecoveryAction.BLOCK;
        }
        return epoch <= source.epoch() ? RecoveryAction.BEGIN : RecoveryAction.BLOCK;
    }

    /** Where the source took the bucket back, the target does not know any more, or yet, that it was decided against. */
    private RecoveryAction besideWhatIsFilled(FenceRow source, Optional<FenceRow> target) {
        long epoch = target.orElseThrow().epoch();
        if (!isOurs(target)) {
            return RecoveryAction.BLOCK;
        }
        if (epoch == source.epoch()) {
            return RecoveryAction.CARRY_ON;
        }
        return wasReclaimed(source) && epoch < source.epoch() ? RecoveryAction.FINISH_ABORT : RecoveryAction.BLOCK;
    }

    /** A source has our id in a row that it owns only after it was taken back. */
    private boolean wasReclaimed(FenceRow source) {
        return isOurs(Optional.of(source));
    }

    private RecoveryAction fencedByUs(FenceRow source, Optional<FenceRow> target) {
        return switch (state(target)) {
            case OWNED ->
                isOurs(target) && target.orElseThrow().epoch() == source.epoch()
                        ? RecoveryAction.PUBLISH
                        : RecoveryAction.BLOCK;
            case IMPORTING ->
                isOurs(target) && target.orElseThrow().epoch() == source.epoch() - 1
                        ? RecoveryAction.ACTIVATE
                        : RecoveryAction.BLOCK;
            case ABORTED -> isOurs(target) ? RecoveryAction.RECLAIM : lostImporting(source, target);
            case ABSENT -> RecoveryAction.REVOKE;
            case MOVED -> lostImporting(source, target);
            case DRAINING -> RecoveryAction.BLOCK;
        };
    }

    /** What another move left on the target before ours began is older than our fence; anything newer is a later owner's. */
    private RecoveryAction lostImporting(FenceRow source, Optional<FenceRow> target) {
        return !isOurs(target) && target.orElseThrow().epoch() < source.epoch()
                ? RecoveryAction.REVOKE
                : RecoveryAction.BLOCK;
    }

    /** The source is no owner and not by our doing; with a trace of ours on the target that is nobody's to guess. */
    private RecoveryAction foreign(Optional<FenceRow> target) {
        return isOurs(target) ? RecoveryAction.BLOCK : RecoveryAction.NOT_OWNER;
    }

    boolean isOurs(Optional<FenceRow> row) {
        return row.isPresent() && moveId.equals(row.get().moveId());
    }

    static FenceState state(Optional<FenceRow> row) {
        return row.map(FenceRow::state).orElse(FenceState.ABSENT);
    }
}
