package io.shardwright.operator.health;

import io.shardwright.operator.feed.TableCache;
import io.shardwright.operator.leadership.Leadership;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/**
 * Ready means: this replica can tell routers their table. It stays ready while the API server is away, because what it has
 * stays true for routers until somebody who reaches the API server changes it.
 */
@Readiness
@Singleton
final class FeedReady implements HealthCheck {
    private final TableCache tables;
    private final Leadership leadership;

    FeedReady(TableCache tables, Leadership leadership) {
        this.tables = tables;
        this.leadership = leadership;
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("routing-feed")
                .withData("synced", tables.synced())
                .withData("watching", tables.watching())
                .withData("leading", leadership.leading())
                .status(tables.synced())
                .build();
    }
}
