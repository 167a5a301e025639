package io.shardwright.controllers.bucketmove;

import io.shardwright.routing.TableOrder;
import java.time.Duration;
import java.util.OptionalLong;

/** How long a gate has been open without a break, by the monotonic clock; any doubt begins it anew. */
final class OpenGate {
    private OptionalLong since = OptionalLong.empty();
    private TableOrder asked;

    /**
     * @param forTable incarnation and revision that the gate asks for: routers that know an older one say nothing of a
     *     newer one
     * @param lastInterruption when a router was heard again after a silence: the gate was not open meanwhile, even if nobody
     *     looked
     * @return zero while it is shut
     */
    synchronized Duration note(boolean open, TableOrder forTable, OptionalLong lastInterruption, long now) {
        if (!forTable.equals(asked)) {
            asked = forTable;
            since = OptionalLong.empty();
        }
        if (!open) {
            since = OptionalLong.empty();
            return Duration.ZERO;
        }
        long begun = since.orElse(now);
        if (lastInterruption.isPresent() && lastInterruption.getAsLong() > begun) {
            begun = lastInterruption.getAsLong();
        }
        since = OptionalLong.of(begun);
        return Duration.ofNanos(Math.max(0, now - begun));
    }

    /** Nobody looks at it for a while. */
    synchronized void shut() {
        since = OptionalLong.empty();
    }
}
