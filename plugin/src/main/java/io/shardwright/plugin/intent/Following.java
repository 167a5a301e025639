package io.shardwright.plugin.intent;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.plugin.Phases;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.function.Predicate;

/** Follows one move by what a watch delivers, and tells each change of its phase. */
final class Following implements Predicate<BucketMove> {
    private final Goal goal;
    private final PrintWriter told;
    private BucketMove newest;
    private Goal.End end;

    Following(Goal goal, BucketMove first, PrintWriter told) {
        this.goal = goal;
        this.newest = first;
        this.told = told;
    }

    /** @param move null once it is gone */
    @Override
    public synchronized boolean test(BucketMove move) {
        if (move != null) {
            tell(Phases.of(newest), Phases.of(move));
            newest = move;
        }
        end = goal.end(move).orElse(null);
        return end != null;
    }

    private void tell(String before, String now) {
        if (!before.equals(now)) {
            told.println(newest.getMetadata().getName() + ": " + before + " -> " + now);
            told.flush();
        }
    }

    synchronized Optional<Goal.End> end() {
        return Optional.ofNullable(end);
    }

    synchronized BucketMove newest() {
        return newest;
    }

    /** What the operator advises, as the end of a sentence; empty when it advises nothing. */
    synchronized String nextAction() {
        return newest.getStatus() == null || newest.getStatus().nextAction() == null
                ? ""
                : "; " + newest.getStatus().nextAction();
    }
}
