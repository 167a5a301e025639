package io.shardwright.operator.leadership;

import java.time.Duration;

/**
 * @param duration unchanged for so long, a Lease is free
 * @param renewDeadline not renewed for so long, a leader ends
 * @param retryPeriod pause between tries
 */
public record LeaseTimings(Duration duration, Duration renewDeadline, Duration retryPeriod) {
    private static final int REQUESTS_TO_RENEW = 2;

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

    /**
     * Renewing reads and writes the Lease. When both requests may take as long as they can and the deadline is over then, one
     * slow answer of the API server ends a healthy leader.
     *
     * @throws IllegalArgumentException when a renewal of two slow requests and the pause before it outlast the deadline
     */
    public LeaseTimings withRequestsOfAtMost(Duration requestTimeout) {
        Duration slowest = requestTimeout.multipliedBy(REQUESTS_TO_RENEW).plus(retryPeriod);
        if (slowest.compareTo(renewDeadline) > 0) {
            throw new IllegalArgumentException("a renewal of the lease may take " + slowest
                    + " (lease.retry-period, and two requests of " + requestTimeout + "), longer than"
                    + " lease.renew-deadline " + renewDeadline + ": raise the deadline, or shorten the pause");
        }
        return this;
    }
}
