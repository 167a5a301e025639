package io.shardwright.operator.health;

import io.shardwright.operator.leadership.Leadership;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/** Dead means: nobody here claims or watches the Lease any more, and only a new process helps. */
@Liveness
@Singleton
final class LeadershipAlive implements HealthCheck {
    private final Leadership leadership;

    LeadershipAlive(Leadership leadership) {
        this.leadership = leadership;
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("leadership")
                .status(leadership.alive())
                .build();
    }
}
