package io.shardwright.planning.windows;

import java.time.LocalDateTime;
import java.util.Optional;

/** The clock times at which a window opens, to the minute, in a calendar without time zones. */
public interface Schedule {
    /** The last one that is not after this; empty when there is none within some years. */
    Optional<LocalDateTime> atOrBefore(LocalDateTime time);

    /** The first one that is after this; empty when there is none within some years. */
    Optional<LocalDateTime> after(LocalDateTime time);
}
