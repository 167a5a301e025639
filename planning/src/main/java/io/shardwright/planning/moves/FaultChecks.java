package io.shardwright.planning.moves;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** When a command has failed: the three answers are try again later, ask a person, give up. */
final class FaultChecks {
    static final Duration LONGEST = Duration.ofSeconds(60);

    /**
     * The same while nobody may be able to write a bucket, or two shards take its writes: a shard that comes back is found within
     * this time.
     */
    static final Duration LONGEST_FENCED = Duration.ofSeconds(2);

    /** So often a copy that differs is made again before people are asked. */
    static final int COPIES_AGAIN = 2;

    private FaultChecks() {}

    /** Nothing has begun, so there is nothing to undo. */
    static Optional<MoveDecision> incurable(Situation now) {
        return now.fault()
                .filter(fault -> !fault.curable() && !now.standing().begun())
                .map(fault -> new MoveDecision.Done(MovePhase.FAILED, fault.message() + ": " + fault.nextAction()));
    }

    static Optional<MoveDecision> coolingDown(Situation now) {
        return now.fault()
                .filter(fault -> coolsDown(fault, longest(now, fault)) || needsAPerson(now, fault))
                .map(fault -> cooling(now.seen(), fault, MovePhase.BLOCKED, longest(now, fault)));
    }

    /** How long a try may be put off at most. */
    static Duration longest(Situation now, MoveFault fault) {
        boolean urgent = OwnerChecks.anOwnerIsMissed(now) || now.standing().any(RecoveryAction.FREEZE);
        return urgent || mayBeFencedUnseen(now, fault) ? LONGEST_FENCED : LONGEST;
    }

    /**
     * A switch may have fenced a bucket before the shard became unreachable for the look that follows. Buckets are announced
     * before they are switched, so without that nothing was fenced.
     */
    private static boolean mayBeFencedUnseen(Situation now, MoveFault fault) {
        boolean unread = fault.kind() == MoveFault.Kind.UNREACHABLE || fault.kind() == MoveFault.Kind.OTHER;
        return unread
                && now.truthAge().compareTo(fault.age()) >= 0
                && now.standing().waiting().stream().anyMatch(now.seen().table().announced()::contains);
    }

    /** Once all is decided nothing is copied any more. */
    private static boolean needsAPerson(Situation now, MoveFault fault) {
        return now.isWayThere() && !now.allDecided() && keepsDiffering(fault);
    }

    /** A copy that differs every time has a cause that another copy does not cure. */
    private static boolean keepsDiffering(MoveFault fault) {
        return fault.kind() == MoveFault.Kind.DIVERGED && fault.times() > COPIES_AGAIN;
    }

    static boolean coolsDown(MoveFault fault, Duration longest) {
        return fault.age().compareTo(pause(fault, longest)) < 0;
    }

    /** Says the same before, at and during the next try, so that a shard that is down for an hour is one status. */
    static MoveDecision.Wait cooling(MoveObservation seen, MoveFault fault, MovePhase phase, Duration longest) {
        Duration rest = pause(fault, longest).minus(fault.age());
        if (fault.kind() == MoveFault.Kind.DIVERGED) {
            return diverged(seen, fault, phase, rest);
        }
        return MoveDecision.Wait.tryingAgain(phase, fault.message(), fault.nextAction(), seen.after(rest), List.of());
    }

    private static MoveDecision.Wait diverged(MoveObservation seen, MoveFault fault, MovePhase phase, Duration rest) {
        if (!seen.isWayThere()) {
            return divergedOnTheWayBack(seen, fault, phase, rest);
        }
        if (!keepsDiffering(fault)) {
            return MoveDecision.Wait.tryingAgain(
                    phase,
                    fault.message() + "; differences found; the copy is made again",
                    "another copy, made by the move itself",
                    seen.after(rest),
                    List.of());
        }
        return new MoveDecision.Wait(
                phase,
                fault.message() + "; " + fault.times() + " copies in a row differ from the source",
                "a person who finds what writes these rows on " + seen.task().to()
                        + " past the fence (a superuser, a disabled trigger, session_replication_role); then set"
                        + " spec.intent to Abort and create the move anew",
                Optional.empty(),
                List.of());
    }

    /** A way back copies nothing, so a difference stays until somebody mends it; it is looked for again. */
    private static MoveDecision.Wait divergedOnTheWayBack(
            MoveObservation seen, MoveFault fault, MovePhase phase, Duration rest) {
        return MoveDecision.Wait.tryingAgain(
                phase,
                fault.message() + "; the buckets are not taken back while both sides differ",
                "a person who compares the rows: " + seen.task().from() + " is the owner; or spec.intent Run, and the"
                        + " buckets stay there",
                seen.after(rest),
                List.of());
    }

    /** Faults that go away by themselves; the others need a person, or another copy. */
    static boolean passing(MoveFault.Kind kind) {
        return switch (kind) {
            case UNREACHABLE, SOURCE_READ_ONLY, SUPERSEDED, TWO_OWNERS, RECLAIMED, OTHER -> true;
            case VALIDATION, FOREIGN_ROWS, SCHEMA_CHANGED, POSITION_LOST, DIVERGED, DECIDED_AGAINST -> false;
        };
    }

    /** Doubled with every failure in a row, up to the longest. */
    static Duration pause(MoveFault fault, Duration longest) {
        Duration pause = first(fault.kind());
        for (int i = 1; i < fault.times() && pause.compareTo(longest) < 0; i++) {
            pause = pause.multipliedBy(2);
        }
        return pause.compareTo(longest) < 0 ? pause : longest;
    }

    private static Duration first(MoveFault.Kind kind) {
        return switch (kind) {
            case POSITION_LOST, DECIDED_AGAINST -> Duration.ofSeconds(1);
            case UNREACHABLE, SOURCE_READ_ONLY, TWO_OWNERS -> Duration.ofSeconds(2);
            case SUPERSEDED, RECLAIMED, OTHER -> Duration.ofSeconds(5);
            case VALIDATION, FOREIGN_ROWS, SCHEMA_CHANGED, DIVERGED -> Duration.ofSeconds(30);
        };
    }
}
