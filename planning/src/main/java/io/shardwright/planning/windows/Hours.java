package io.shardwright.planning.windows;

import java.time.Instant;
import java.util.Optional;

/**
 * Whether forward steps may begin now.
 *
 * @param closed why not; empty = they may
 * @param until when that changes, or when to ask again at the latest; empty = it does not as long as nobody writes anything
 */
public record Hours(Optional<Closure> closed, Optional<Instant> until) {
    /** Nobody has said anything about time. */
    public static final Hours ALWAYS = new Hours(Optional.empty(), Optional.empty());

    public static Hours closed(Closure why) {
        return new Hours(Optional.of(why), why.until());
    }
}
