package io.shardwright.planning.moves;

import io.shardwright.planning.moves.MoveObservation.Truth;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Two owners of a bucket: a failover has lost a commit. Epochs only grow, so the older owner can be told, and it is closed at
 * once; that makes nobody an owner, so it is asked for before anything else. The rows that it took meanwhile are nobody's to
 * merge or to delete, so the move stands still until a person has looked at them.
 */
final class OwnerChecks {
    private OwnerChecks() {}

    /** Says the same before, at and during each try. */
    static Optional<MoveDecision> twoOwners(Situation now) {
        SortedSet<Scope> both = now.standing().at(RecoveryAction.FREEZE);
        if (both.isEmpty()) {
            return Optional.empty();
        }
        SortedSet<Scope> told = new TreeSet<>(both);
        told.removeIf(scope -> epochsAreEqual(now, scope));
        if (told.isEmpty()) {
            return Optional.of(now.blockedByRows(
                    "both shards own " + Scope.words(both)
                            + " with the same epoch: neither is known to be the older owner",
                    "a person who finds out which of them lost a commit: runbook ShardwrightTwoOwners"));
        }
        return closing(now, both, told);
    }

    private static boolean epochsAreEqual(Situation now, Scope scope) {
        Truth truth = now.seen().truth().orElseThrow();
        return truth.source().get(scope).epoch() == truth.target().get(scope).epoch();
    }

    private static Optional<MoveDecision> closing(Situation now, SortedSet<Scope> both, SortedSet<Scope> told) {
        MoveObservation.MoverView mover = now.seen().mover();
        Optional<MoveFault> fault = mover.fault().or(mover::retried).filter(OwnerChecks::keepsOpen);
        MoveDecision.Wait shown = now.blockedByRows(
                "both shards own " + Scope.words(both) + ": a failover lost a commit"
                        + fault.map(one -> "; " + one.message()).orElse(""),
                fault.map(MoveFault::nextAction)
                        .orElse("nothing for now: the move closes the owner with the lower epoch by itself"));
        if (now.runs(MoveStep.DEMOTE)) {
            return Optional.of(shown);
        }
        Optional<Duration> rest = mover.fault()
                .filter(OwnerChecks::keepsOpen)
                .map(one ->
                        FaultChecks.pause(one, FaultChecks.longest(now, one)).minus(one.age()))
                .filter(Duration::isPositive);
        if (rest.isEmpty()) {
            return Optional.of(MoveDecision.Aside.beside(shown, next(now, told)));
        }
        return anOwnerIsMissed(now)
                ? Optional.empty()
                : Optional.of(shown.atTheLatest(now.seen().now().plus(rest.get())));
    }

    /** A bucket that nobody owns is decided about first, and is not put off; nothing is deleted by that. */
    static boolean anOwnerIsMissed(Situation now) {
        Standing standing = now.standing();
        return standing.any(RecoveryAction.ACTIVATE)
                || standing.any(RecoveryAction.RECLAIM)
                || standing.any(RecoveryAction.REVOKE)
                || standing.any(RecoveryAction.UNFINISHED);
    }

    /** What has failed before that says nothing about it. */
    private static boolean keepsOpen(MoveFault fault) {
        return fault.kind() == MoveFault.Kind.TWO_OWNERS || fault.kind() == MoveFault.Kind.UNREACHABLE;
    }

    private static MoveDecision.Act next(Situation now, SortedSet<Scope> told) {
        return now.truthAge().compareTo(CleanupChecks.FRESH) < 0
                ? new MoveDecision.Act(MovePhase.BLOCKED, MoveStep.DEMOTE, told, "the older of two owners is closed")
                : new MoveDecision.Act(
                        MovePhase.BLOCKED,
                        MoveStep.OBSERVE,
                        now.seen().task().scopes(),
                        "both owners are looked at once more before one is closed");
    }

    static Optional<MoveDecision> demoted(Situation now) {
        SortedMap<Scope, String> demoted = now.seen().truth().orElseThrow().demoted();
        if (demoted.isEmpty() || anOwnerIsMissed(now)) {
            return Optional.empty();
        }
        SortedMap<String, List<Scope>> byShard = demoted.keySet().stream()
                .collect(Collectors.groupingBy(demoted::get, TreeMap::new, Collectors.toList()));
        return Optional.of(now.blockedByRows(
                "two shards owned buckets; the older owner was closed and may have rows that the other lacks: "
                        + byShard.entrySet().stream()
                                .map(one -> one.getKey() + " of " + Scope.words(one.getValue()))
                                .collect(Collectors.joining(", ")),
                "a person who compares the rows of both shards and then removes the record: runbook"
                        + " ShardwrightTwoOwners"));
    }
}
