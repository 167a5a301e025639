package io.shardwright.planning.arbiter;

import io.shardwright.planning.moves.MovePhase;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A move as the arbiter sees it.
 *
 * @param phase as stored
 * @param folded all that it moved is in the bucket map; what is left (acknowledgements, deletion) concerns its own buckets
 *     only
 * @param created of the object; older ones come first, then names
 */
public record Candidate(
        String name,
        String from,
        String to,
        SortedSet<Integer> buckets,
        MovePhase phase,
        boolean folded,
        Instant created) {
    public Candidate {
        buckets = Collections.unmodifiableSortedSet(new TreeSet<>(buckets));
    }

    /** It has begun, and may still change an owner. */
    boolean active() {
        return phase != MovePhase.PENDING && !phase.terminal() && !folded && phase != MovePhase.CLEANING_UP;
    }

    boolean sharesBucketWith(Candidate other) {
        return buckets.stream().anyMatch(other.buckets::contains);
    }

    boolean samePairAs(Candidate other) {
        return (from.equals(other.from) && to.equals(other.to)) || (from.equals(other.to) && to.equals(other.from));
    }

    boolean sharesDatabaseWith(Candidate other) {
        return from.equals(other.from) || from.equals(other.to) || to.equals(other.from) || to.equals(other.to);
    }
}
