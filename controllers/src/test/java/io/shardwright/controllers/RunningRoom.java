package io.shardwright.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.shardwright.controllers.world.ApiServer;
import io.shardwright.controllers.world.FakeLeftovers;
import io.shardwright.controllers.world.FakeMovers;
import io.shardwright.controllers.world.FakeRouters;
import io.shardwright.controllers.world.FastClock;
import io.shardwright.controllers.world.FenceWorld;
import io.shardwright.controllers.world.Running;
import io.shardwright.controllers.world.Shop;
import io.shardwright.crds.ConditionType;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.routing.Role;
import io.shardwright.servers.Eventually;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** The whole room on a real API server with the shipped roles, over databases in memory, for one shop. */
final class RunningRoom implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(40);

    /** How fast the room's clock runs: where it waits for answers, and where for time to pass. */
    private static final int SECONDS = 10;

    private static final int MINUTES = 20;

    private static final Duration BETWEEN_TOUCHES = Duration.ofMillis(300);

    private final FastClock nanos = new FastClock(SECONDS);
    private final AtomicBoolean superseded = new AtomicBoolean();
    private final Shop shop;
    private final FenceWorld world = new FenceWorld()
            .withShard("ds-0")
            .withShard("ds-1")
            .withShard("ds-2")
            .withShard("ds-3")
            .withShard("ds-4");
    private final FakeMovers movers = new FakeMovers(world);
    private final FakeLeftovers leftovers = new FakeLeftovers(world);
    private long touched = System.nanoTime();
    private KubernetesClient client;
    private ControllerRoom room;
    private Running running;
    private FakeRouters routers;

    /** @param test what names the shop's namespace */
    RunningRoom(String test) {
        shop = new Shop(ApiServer.get(), "room-" + Math.abs(test.hashCode()));
        start();
    }

    private void start() {
        client = ApiServer.get().operatorClient();
        room = new ControllerRoom(
                client,
                world,
                movers,
                leftovers,
                StepBoundary.NONE,
                Clock.systemUTC(),
                nanos,
                new SimpleMeterRegistry(),
                () -> superseded.set(true));
        running = new Running(client, room.reconcilers());
        routers = new FakeRouters(shop, room.acks(), nanos);
    }

    private void stop() {
        routers.close();
        running.close();
        room.close();
        client.close();
    }

    /** Another process takes over. */
    void restart() {
        restart(() -> {});
    }

    /** @param meanwhile what has changed when it begins */
    void restart(Runnable meanwhile) {
        stop();
        assertThat(movers.open()).isZero();
        meanwhile.run();
        start();
    }

    @Override
    public void close() {
        stop();
        shop.clear();
        assertThat(superseded).as("another process took the term").isFalse();
        assertThat(ApiServer.get().plane().auditLog().forbidden(ApiServer.OPERATOR))
                .isEmpty();
    }

    Shop shop() {
        return shop;
    }

    FenceWorld world() {
        return world;
    }

    FakeMovers movers() {
        return movers;
    }

    FakeLeftovers leftovers() {
        return leftovers;
    }

    FakeRouters routers() {
        return routers;
    }

    FastClock nanos() {
        return nanos;
    }

    void eventually(String what, BooleanSupplier condition) {
        Eventually.until(what, LIMIT, condition, shop::evidence);
    }

    /** The room's clock is fast and its alarms are not, so what a minute brings is asked for. */
    void inAMinute(String what, BooleanSupplier condition) {
        nanos.runs(MINUTES);
        Eventually.until(what, LIMIT, () -> touching(condition), shop::evidence);
        nanos.runs(SECONDS);
    }

    boolean touching(BooleanSupplier condition) {
        if (System.nanoTime() - touched > BETWEEN_TOUCHES.toNanos()) {
            shop.touch();
            touched = System.nanoTime();
        }
        return condition.getAsBoolean();
    }

    boolean clusterIs(ConditionType type, String reason) {
        return shop.clusterCondition(type)
                .filter(condition -> condition.reason().equals(reason))
                .isPresent();
    }

    void readyWithFour() {
        routers.with("worker-0", Role.WORKER).with("web-0", Role.WEB);
        shop.cluster(4, 8);
        eventually("four shards ready", () -> clusterIs(ConditionType.READY, "Settled"));
    }

    int bucketOf(String shard) {
        return world.fence(shard).firstKey();
    }
}
