package io.shardwright.operator.lifecycle;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;
import io.javaoperatorsdk.operator.monitoring.micrometer.MicrometerMetrics;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.arc.ClientProxy;
import io.shardwright.controllers.ControllerRoom;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.PostgresShards;
import io.shardwright.dataplane.postgres.move.PostgresMovers;
import io.shardwright.dataplane.postgres.move.sweep.PostgresLeftovers;
import io.shardwright.meaning.Tables;
import io.shardwright.operator.OperatorConfig;
import io.shardwright.operator.ProcessEnd;
import io.shardwright.operator.access.Doorkeeper;
import io.shardwright.operator.feed.RoutingFeed;
import io.shardwright.operator.feed.TableCache;
import io.shardwright.operator.leadership.Leadership;
import io.shardwright.operator.leadership.LeaseTimings;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ServiceLoader;

/** Who knows whom. Everything is built once, by constructors; nothing here starts anything. */
final class Wiring {
    /** Only a leader that renewed its Lease so recently confirms an acknowledgement (routing contract, section 4). */
    private static final Duration CONFIRMING_LIMIT = Duration.ofSeconds(10);

    @Produces
    @Singleton
    ProcessEnd processEnd() {
        return new HaltingEnd();
    }

    /** Nothing in production; the crash stories put a listener on the class path. */
    @Produces
    @Singleton
    StepBoundary stepBoundary() {
        return ServiceLoader.load(StepBoundary.class, StepBoundary.class.getClassLoader())
                .findFirst()
                .orElse(StepBoundary.NONE);
    }

    @Produces
    @Singleton
    PostgresSessions sessions() {
        return new PostgresSessions();
    }

    @Produces
    @Singleton
    PostgresMovers movers(PostgresSessions sessions, StepBoundary boundary) {
        return new PostgresMovers(sessions, boundary, new SecureRandom());
    }

    @Produces
    @Singleton
    ControllerRoom room(
            KubernetesClient client,
            PostgresSessions sessions,
            PostgresMovers movers,
            StepBoundary boundary,
            MeterRegistry metrics,
            ProcessEnd end) {
        return new ControllerRoom(
                ClientProxy.unwrap(client),
                new PostgresShards(sessions),
                movers,
                new PostgresLeftovers(sessions, boundary, new SecureRandom()),
                boundary,
                Clock.systemUTC(),
                metrics,
                () -> end.now(ProcessEnd.Cause.SUPERSEDED, "a routing table was written by a newer leader"));
    }

    @Produces
    @Singleton
    Controllers controllers(
            ControllerRoom room,
            PostgresMovers movers,
            KubernetesClient client,
            MeterRegistry metrics,
            ProcessEnd end) {
        Metrics frameworkMetrics = MicrometerMetrics.withoutPerResourceMetrics(metrics);
        Controllers controllers = new Controllers(
                room, movers, new Reconciling(ClientProxy.unwrap(client), room.reconcilers(), frameworkMetrics, end));
        Gauge.builder("shardwright.reconciling", controllers, running -> running.started() ? 1 : 0)
                .description("1 on the leader once its caches are filled")
                .register(metrics);
        return controllers;
    }

    @Produces
    @Singleton
    Leadership leadership(
            KubernetesClient client,
            OperatorConfig config,
            Controllers controllers,
            ProcessEnd end,
            MeterRegistry metrics) {
        Leadership leadership = new Leadership(
                ClientProxy.unwrap(client),
                config.namespace(),
                config.lease().name(),
                Identity.ofThisProcess(config.identity()),
                new LeaseTimings(
                                config.lease().duration(),
                                config.lease().renewDeadline(),
                                config.lease().retryPeriod())
                        .withRequestsOfAtMost(
                                Duration.ofMillis(client.getConfiguration().getRequestTimeout())),
                controllers::start,
                end);
        Gauge.builder("shardwright.leading", leadership, leads -> leads.leading() ? 1 : 0)
                .description("1 on the replica that reconciles")
                .register(metrics);
        Gauge.builder("shardwright.lease.renewed.seconds", leadership, Leadership::secondsSinceRenewal)
                .description("seconds since the leader renewed its lease, 0 on others")
                .register(metrics);
        return leadership;
    }

    @Produces
    @Singleton
    TableCache tables(KubernetesClient client) {
        return new TableCache(ClientProxy.unwrap(client), Tables::table);
    }

    @Produces
    @Singleton
    RoutingFeed feed(
            KubernetesClient client,
            OperatorConfig config,
            TableCache tables,
            ControllerRoom room,
            Leadership leadership,
            MeterRegistry metrics) {
        Doorkeeper doorkeeper = new Doorkeeper(
                ClientProxy.unwrap(client),
                config.feed().audience(),
                config.feed().admissionTtl(),
                config.feed().admissionsKept());
        return new RoutingFeed(
                config.feed(),
                doorkeeper,
                tables,
                room.acks()::accept,
                () -> leadership.renewedWithin(CONFIRMING_LIMIT),
                metrics);
    }
}
