package io.shardwright.planning.arbiter;

import io.shardwright.planning.moves.MovePhase;
import io.shardwright.routing.Scope;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A move as the arbiter sees it.
 *
 * @param phase as stored
 * @param wayBack phase of its reversal once that has begun, until it has ended; whatever the move itself shows meanwhile
 * @param folded all that the leg which runs has moved is in the bucket map; what is left (acknowledgements, soak, deletion)
 *     concerns its own buckets only
 * @param created of the object; older ones come first, then names
 */
public record Candidate(
        String name,
        String from,
        String to,
        SortedSet<Scope> scopes,
        MovePhase phase,
        Optional<MovePhase> wayBack,
        boolean folded,
        Instant created) {
    public Candidate {
        scopes = Collections.unmodifiableSortedSet(new TreeSet<>(scopes));
    }

    /** It has begun, and may still change an owner. */
    boolean active() {
        MovePhase now = wayBack.orElse(phase);
        boolean begun = phase != MovePhase.PENDING && !phase.terminal();
        return begun && !folded && now != MovePhase.CLEANING_UP && now != MovePhase.REVERSIBLE;
    }

    boolean switching() {
        return wayBack.orElse(phase) == MovePhase.SWITCHING;
    }

    boolean meets(Candidate other) {
        return Overlap.between(scopes, other.scopes);
    }

    boolean samePairAs(Candidate other) {
        return (from.equals(other.from) && to.equals(other.to)) || (from.equals(other.to) && to.equals(other.from));
    }

    boolean sharesDatabaseWith(Candidate other) {
        return from.equals(other.from) || from.equals(other.to) || to.equals(other.from) || to.equals(other.to);
    }
}
