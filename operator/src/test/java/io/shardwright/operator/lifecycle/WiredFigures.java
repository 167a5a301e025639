package io.shardwright.operator.lifecycle;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import io.shardwright.controllers.ControllerRoom;
import io.shardwright.controllers.report.RoomMetrics;
import io.shardwright.crds.ClusterRef;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.move.PostgresMovers;
import io.shardwright.operator.OperatorConfig;
import io.shardwright.operator.ProcessEnd;
import io.shardwright.operator.feed.TableCache;
import io.shardwright.operator.leadership.Leadership;
import io.shardwright.planning.acks.AckGate;
import io.shardwright.routing.Role;
import io.shardwright.routing.Scope;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.net.URL;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/** What a scrape of the operator shows, put together by its own wiring; nothing is started and nobody is asked. */
public final class WiredFigures {
    private WiredFigures() {}

    public static String scrape() throws IOException {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (KubernetesClient nobody = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder()
                        .withMasterUrl("https://127.0.0.1:1")
                        .withRequestTimeout(3_000)
                        .build())
                .build()) {
            Wiring wiring = new Wiring();
            ProcessEnd end = (cause, message) -> {
                throw new AssertionError(message);
            };
            PostgresSessions sessions = wiring.sessions();
            PostgresMovers movers = wiring.movers(sessions, wiring.stepBoundary());
            ControllerRoom room = wiring.room(nobody, sessions, movers, wiring.stepBoundary(), registry, end);
            Controllers controllers = wiring.controllers(room, movers, nobody, registry, end);
            Leadership leadership = wiring.leadership(nobody, config(), controllers, end, registry);
            TableCache tables = wiring.tables(nobody);
            wiring.feed(nobody, config(), tables, room, leadership, registry).close();
            figuresOfACluster(new RoomMetrics(registry, Clock.systemUTC()));
            String scrape = registry.scrape();
            room.close();
            movers.close();
            return scrape;
        }
    }

    private static OperatorConfig config() throws IOException {
        URL defaults = Wiring.class.getResource("/application.properties");
        return new SmallRyeConfigBuilder()
                .addDefaultInterceptors()
                .addDiscoveredConverters()
                .withSources(new PropertiesConfigSource(defaults))
                .withMapping(OperatorConfig.class)
                .build()
                .getConfigMapping(OperatorConfig.class);
    }

    /** Each kind of figure once. */
    private static void figuresOfACluster(RoomMetrics metrics) {
        BucketMove move = new BucketMove();
        move.getMetadata().setNamespace("shop");
        move.setSpec(new BucketMoveSpec(new ClusterRef("orders"), "a", "b", List.of(1), null, null, null, null));
        metrics.began("shop", "orders");
        metrics.switched(
                move,
                new MoveReport.Switch(
                        new TreeMap<>(Map.of(Scope.bucket(1), 2L)), true, 1, 1, Map.of("drain", 1.0), List.of()),
                Duration.ofMillis(300));
        metrics.moves("shop", "orders", Map.of());
        metrics.stuck("shop", "orders", Optional.empty(), Optional.empty());
        metrics.table("shop", "orders", 1);
        metrics.routers("shop", "orders", new AckGate(Map.of(), Map.of(), List.of(), true));
        for (Role role : Role.values()) {
            metrics.unacknowledged("shop", "orders", role, Optional.empty());
        }
        metrics.conditions("shop", "orders", List.of());
        metrics.ownership("shop", "orders", OptionalInt.of(0), OptionalInt.of(0));
        metrics.leftovers("shop", "orders", 0);
        metrics.passed("shop", "orders");
    }
}
