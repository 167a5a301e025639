package io.shardwright.operator.leadership;

import java.time.Duration;

/**
 * @param duration unchanged for so long, a Lease is free
 * @param renewDeadline not renewed for so long, a leader ends
 * @param retryPeriod pause between tries
 */
public record LeaseTimings(Duration duration, Duration renewDeadline, Duration retryPeriod) {
    /** @throws IllegalArgumentException unless duration > renewDeadline > retryPeriod and the duration has a second */
    public LeaseTimings {
        if (duration.compareTo(renewDeadline) <= 0 || renewDeadline.compareTo(retryPeriod) <= 0) {
            throw new IllegalArgumentException("lease timings must keep duration > renew-deadline > retry-period, not "
                    + duration + ", " + renewDeadline + ", " + retryPeriod);
        }
        if (duration.toSeconds() < 1 || retryPeriod.isZero() || retryPeriod.isNegative()) {
            throw new IllegalArgumentException("lease timings are too short: " + duration + ", " + retryPeriod);
        }
    }
}
