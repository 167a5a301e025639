package io.shardwright.controllers.world;

import io.shardwright.controllers.resources.TableResources;
import io.shardwright.controllers.routers.AckStore;
import io.shardwright.routing.Acknowledgement;
import io.shardwright.routing.Role;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RoutingTableCodec;
import io.shardwright.routing.TableDigest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Routers that acknowledge every table that they see, until they are frozen. */
public final class FakeRouters implements AutoCloseable {
    private final Shop shop;
    private final AckStore acks;
    private final LongSupplier nanos;
    private final AtomicLong sequence = new AtomicLong();
    private final Map<String, Router> routers = new ConcurrentHashMap<>();
    private final ScheduledExecutorService beat = Executors.newSingleThreadScheduledExecutor();

    private record Router(String uid, String pod, Role role, boolean frozen) {}

    public FakeRouters(Shop shop, AckStore acks, LongSupplier nanos) {
        this.shop = shop;
        this.acks = acks;
        this.nanos = nanos;
        beat.scheduleWithFixedDelay(this::acknowledge, 50, 150, TimeUnit.MILLISECONDS);
    }

    public FakeRouters with(String pod, Role role) {
        String uid = shop.pod(pod, "orders-" + role.wire());
        routers.put(pod, new Router(uid, pod, role, false));
        return this;
    }

    /** A router whose pod is there already. */
    public FakeRouters rejoin(String pod, Role role) {
        routers.put(pod, new Router(shop.podUid(pod), pod, role, false));
        return this;
    }

    public void freeze(String pod) {
        routers.computeIfPresent(pod, (name, one) -> new Router(one.uid(), one.pod(), one.role(), true));
    }

    /** The process is gone; its pod is the test's. */
    public void forget(String pod) {
        routers.remove(pod);
    }

    private void acknowledge() {
        shop.table()
                .map(TableResources::table)
                .ifPresent(table -> List.copyOf(routers.values()).stream()
                        .filter(router -> !router.frozen())
                        .forEach(router ->
                                acks.accept(shop.namespace(), "orders", ack(router, table), nanos.getAsLong())));
    }

    private Acknowledgement ack(Router router, RoutingTable table) {
        return new Acknowledgement(
                router.uid(),
                "boot-1",
                router.pod(),
                router.role(),
                sequence.incrementAndGet(),
                "p1",
                table.order().incarnation(),
                table.order().revision(),
                table.order().generation(),
                table.order().revision(),
                TableDigest.of(RoutingTableCodec.encode(table)),
                null,
                "fake/1");
    }

    @Override
    public void close() {
        beat.shutdownNow();
    }
}
