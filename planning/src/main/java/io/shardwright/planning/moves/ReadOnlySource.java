package io.shardwright.planning.moves;

import io.shardwright.routing.Scope;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A bucket that is fenced on a source that takes no writes. Whoever goes on with the stream claims the source first, and an abort
 * ends with a write there; so each of them has found out that it cannot be done, decided nothing, and says so by its fault. What is
 * left is to bring the rows to the target once more from behind the fence.
 *
 * <p>Who wants the source to keep its buckets is obeyed, and told that they wait for it. The way back has no copy; its buckets
 * wait, too. A bucket that routers are led to already was lost by its target with what was written there, and is the abort's.
 */
final class ReadOnlySource {
    private ReadOnlySource() {}

    static Optional<MoveDecision> resync(Situation now) {
        SortedSet<Scope> fenced = now.standing().at(RecoveryAction.ACTIVATE);
        boolean concerned = now.isWayThere()
                && !now.seen().abortWanted()
                && !fenced.isEmpty()
                && fenced.stream().noneMatch(now::visibleSomewhere);
        if (!concerned) {
            return Optional.empty();
        }
        if (now.runs(MoveStep.RESYNC)) {
            return Optional.of(copying(now, fenced));
        }
        String source = now.seen().task().from();
        return saysSo(now.fault())
                ? now.act(
                        MovePhase.SWITCHING,
                        MoveStep.RESYNC,
                        fenced,
                        source + " takes no writes, so it cannot take fenced buckets back: "
                                + now.seen().task().to() + " gets their rows")
                : Optional.empty();
    }

    private static boolean saysSo(Optional<MoveFault> fault) {
        return fault.filter(one -> one.kind() == MoveFault.Kind.SOURCE_READ_ONLY)
                .isPresent();
    }

    private static MoveDecision.Wait copying(Situation now, SortedSet<Scope> fenced) {
        String source = now.seen().task().from();
        String target = now.seen().task().to();
        return MoveDecision.Wait.tryingAgain(
                        MovePhase.SWITCHING,
                        source + " takes no writes: " + Scope.words(fenced) + ", which are fenced there, are copied to "
                                + target + " once more and activated",
                        "the end of the copy",
                        Optional.empty(),
                        List.of())
                .advised(
                        Optional.of(
                                "nothing: nobody can write " + Scope.words(fenced) + " before " + target
                                        + " has their rows. If " + source
                                        + " takes writes again before that, the copy ends and they are switched or given back at once"));
    }

    /** What ends the wait for a source that cannot take back what was decided against, or shall be. */
    static Optional<String> advice(Situation now, MoveFault fault) {
        Standing standing = now.standing();
        SortedSet<Scope> fenced = standing.at(RecoveryAction.ACTIVATE);
        SortedSet<Scope> ownerless = new TreeSet<>(fenced);
        ownerless.addAll(standing.at(RecoveryAction.RECLAIM));
        ownerless.addAll(standing.at(RecoveryAction.REVOKE));
        if (!saysSo(Optional.of(fault)) || ownerless.isEmpty()) {
            return Optional.empty();
        }
        boolean choice = now.isWayThere() && now.seen().abortWanted() && !fenced.isEmpty();
        String source = now.seen().task().from();
        return Optional.of("let " + source + " take writes again (it has no room on its disk): then it"
                + " takes " + Scope.words(ownerless) + " back, which nobody can write until then"
                + (choice
                        ? "; or set spec.intent to Run: then " + Scope.words(fenced) + " are copied to "
                                + now.seen().task().to() + " and activated there"
                        : ""));
    }
}
