package io.shardwright.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.Constants;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.shardwright.controllers.world.ApiServer;
import io.shardwright.controllers.world.FakeLeftovers;
import io.shardwright.controllers.world.FakeMovers;
import io.shardwright.controllers.world.FakeRouters;
import io.shardwright.controllers.world.FastClock;
import io.shardwright.controllers.world.FenceWorld;
import io.shardwright.controllers.world.Running;
import io.shardwright.controllers.world.ShiftedClock;
import io.shardwright.controllers.world.Shop;
import io.shardwright.crds.ConditionType;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.routing.Role;
import io.shardwright.servers.Eventually;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The whole room on a real API server with the shipped roles, over databases in memory, for one shop. */
public final class RunningRoom implements AutoCloseable {
    public static final Duration LIMIT = Duration.ofSeconds(40);

    /** How fast the room's clock runs: where it waits for answers, and where for time to pass. */
    private static final int SECONDS = 10;

    private static final int MINUTES = 20;

    private static final Duration BETWEEN_TOUCHES = Duration.ofMillis(300);

    private final FastClock nanos = new FastClock(SECONDS);
    private final ShiftedClock clock = new ShiftedClock();
    private final AtomicBoolean superseded = new AtomicBoolean();
    private final Shop shop;
    private final Supplier<KubernetesClient> clients;
    private final Set<String> namespaces;
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
        this(
                new Shop(ApiServer.get(), namespace(test)),
                ApiServer.get()::operatorClient,
                Constants.WATCH_ALL_NAMESPACE_SET);
    }

    /** A room that does not see other namespaces, so that several can run at the same time. */
    public static RunningRoom alone(String name, Supplier<KubernetesClient> clients) {
        return new RunningRoom(new Shop(ApiServer.get(), namespace(name)), clients, Set.of(namespace(name)));
    }

    private RunningRoom(Shop shop, Supplier<KubernetesClient> clients, Set<String> namespaces) {
        this.shop = shop;
        this.clients = clients;
        this.namespaces = namespaces;
        start();
    }

    private static String namespace(String test) {
        return "room-" + Math.abs(test.hashCode());
    }

    private void start() {
        client = clients.get();
        room = new ControllerRoom(
                client,
                world,
                movers,
                leftovers,
                StepBoundary.NONE,
                clock,
                nanos,
                new SimpleMeterRegistry(),
                () -> superseded.set(true));
        running = new Running(client, room.reconcilers(), namespaces);
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

    /** Nobody answers the process any more, so that it can only be left; another one takes over, and routers find it. */
    public void bury() {
        client.close();
        restart();
        routers.rejoin("worker-0", Role.WORKER).rejoin("web-0", Role.WEB);
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

    public Shop shop() {
        return shop;
    }

    public FenceWorld world() {
        return world;
    }

    public FakeMovers movers() {
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

    /** The wall's. Nobody is rung when it is set. */
    ShiftedClock clock() {
        return clock;
    }

    public void eventually(String what, BooleanSupplier condition) {
        Eventually.until(what, LIMIT, condition, shop::evidence);
    }

    /** The room's clock is fast and its alarms are not, so what a minute brings is asked for. */
    public void inAMinute(String what, BooleanSupplier condition) {
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

    public boolean clusterIs(ConditionType type, String reason) {
        return shop.clusterCondition(type)
                .filter(condition -> condition.reason().equals(reason))
                .isPresent();
    }

    public void readyWithFour() {
        routers.with("worker-0", Role.WORKER).with("web-0", Role.WEB);
        shop.cluster(4, 8);
        eventually("four shards ready", () -> clusterIs(ConditionType.READY, "Settled"));
    }

    public int bucketOf(String shard) {
        return world.fence(shard).firstKey();
    }
}
