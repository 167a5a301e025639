package io.shardwright.planning.acks;

import io.shardwright.routing.Role;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * What must be acknowledged.
 *
 * @param kind what a revision has to be good for
 * @param incarnation of the table; acknowledgements of another one never count
 * @param revision the lowest that counts
 * @param roles who is asked; each must have at least one live instance
 * @param digests of the tables that this leader has seen published; others never count
 */
public record AckRequirement(Kind kind, long incarnation, long revision, Set<Role> roles, Set<String> digests) {
    public AckRequirement {
        roles = roles.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(roles));
        digests = Set.copyOf(digests);
    }

    public enum Kind {
        /** connecting and routing by it: the applied revision counts, a long transaction elsewhere must not hold a move */
        ANNOUNCEMENT,
        /** nobody may still read by an older one: the oldest revision in flight counts as well */
        CLEANUP
    }
}
