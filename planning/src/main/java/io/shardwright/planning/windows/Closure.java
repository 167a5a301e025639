package io.shardwright.planning.windows;

import java.time.Instant;
import java.util.Optional;

/**
 * Forward steps may not begin now.
 *
 * @param policy name of the ShardPolicy that says so
 * @param reason for people, with the time at which steps may begin again
 * @param until when they may; empty when nobody can foresee it
 */
public record Closure(String policy, Cause cause, String reason, Optional<Instant> until) {
    /** Why, for machines. */
    public enum Cause {
        /** no window is open */
        OUTSIDE,
        /** a freeze is in force */
        FROZEN,
        /** what is written cannot be obeyed, so nobody knows what was meant */
        UNREADABLE
    }

    /** Unknown is not open. */
    public static Closure unreadable(String policy, String what) {
        return new Closure(policy, Cause.UNREADABLE, "its windows cannot be obeyed: " + what, Optional.empty());
    }

    /** What a person can do about it. */
    public String advice() {
        return cause == Cause.UNREADABLE
                ? "correct ShardPolicy " + policy + ": " + reason
                : "wait" + until.map(time -> " until " + time).orElse("")
                        + "; to let it go on earlier, change windows and freezes of ShardPolicy " + policy;
    }
}
