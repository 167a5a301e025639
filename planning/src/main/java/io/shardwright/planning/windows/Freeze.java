package io.shardwright.planning.windows;

import java.time.Instant;

/**
 * Nothing new begins, whatever window is open.
 *
 * @param from its first moment
 * @param to the first moment after it
 * @param reason for people
 */
public record Freeze(Instant from, Instant to, String reason) {
    boolean covers(Instant time) {
        return !time.isBefore(from) && time.isBefore(to);
    }
}
