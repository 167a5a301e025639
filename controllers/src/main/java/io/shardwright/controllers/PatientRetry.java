package io.shardwright.controllers;

import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import io.javaoperatorsdk.operator.processing.retry.GenericRetryExecution;
import io.javaoperatorsdk.operator.processing.retry.Retry;
import io.javaoperatorsdk.operator.processing.retry.RetryExecution;
import java.time.Duration;

/**
 * Tries again for ever, half a second after the first failure and at most a minute apart. The framework's own default gives
 * up after five tries and then waits for up to ten hours, which an outage of the API server outlasts easily.
 */
public final class PatientRetry implements Retry {
    static final Duration FIRST = Duration.ofMillis(500);
    static final Duration LONGEST = Duration.ofSeconds(60);

    @Override
    public RetryExecution initExecution() {
        return new GenericRetryExecution(new GenericRetry()
                .withoutMaxAttempts()
                .setInitialInterval(FIRST)
                .setIntervalMultiplier(2)
                .setMaxInterval(LONGEST.toMillis()));
    }
}
