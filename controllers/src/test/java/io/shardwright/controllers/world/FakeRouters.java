package io.shardwright.controllers.world;

import io.shardwright.controllers.routers.AckStore;
import io.shardwright.meaning.Tables;
import io.shardwright.routing.Acknowledgement;
import io.shardwright.routing.LoadReport;
import io.shardwright.routing.Role;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RoutingTableCodec;
import io.shardwright.routing.ShardLoad;
import io.shardwright.routing.TableDigest;
import io.shardwright.routing.TableInvariants;
import io.shardwright.routing.Violation;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** Routers that take tables by the rules of the contract and acknowledge them, until they are frozen. */
public final class FakeRouters implements AutoCloseable {
    private final Shop shop;
    private final AckStore acks;
    private final LongSupplier nanos;
    private final AtomicLong sequence = new AtomicLong();
    private final Map<String, Router> routers = new ConcurrentHashMap<>();
    private final Map<String, RoutingTable> held = new ConcurrentHashMap<>();
    private final Map<String, Long> lies = new ConcurrentHashMap<>();
    private volatile Function<RoutingTable, List<ShardLoad>> asked = table -> List.of();
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

    /** A router that has had this table since before. */
    public FakeRouters rejoin(String pod, Role role, RoutingTable has) {
        held.put(pod, has);
        return rejoin(pod, role);
    }

    /** The table that the router routes by. */
    public Optional<RoutingTable> held(String pod) {
        return Optional.ofNullable(held.get(pod));
    }

    /** From now on it says that it has a revision which is so much higher. */
    public void lies(String pod, long ahead) {
        lies.put(pod, ahead);
    }

    /** From now on each router reports a minute of this with every acknowledgement. */
    public void ask(Function<RoutingTable, List<ShardLoad>> ofTable) {
        asked = ofTable;
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
                .map(Tables::table)
                .ifPresent(table -> List.copyOf(routers.values()).stream()
                        .filter(router -> !router.frozen())
                        .forEach(router ->
                                acks.accept(shop.namespace(), "orders", take(router, table), nanos.getAsLong())));
    }

    /** An older table is ignored, one that breaks a rule is refused, and what it holds stays. */
    private Acknowledgement take(Router router, RoutingTable stored) {
        RoutingTable has = held.get(router.pod());
        if (has != null && stored.order().compareTo(has.order()) < 0) {
            return ack(router, has, null);
        }
        List<Violation> violations = TableInvariants.check(has, stored);
        if (!violations.isEmpty()) {
            return ack(router, has, violations.getFirst().toString());
        }
        held.put(router.pod(), stored);
        return ack(router, stored, null);
    }

    private Acknowledgement ack(Router router, RoutingTable table, String nack) {
        long ahead = lies.getOrDefault(router.pod(), 0L);
        long number = sequence.incrementAndGet();
        return new Acknowledgement(
                router.uid(),
                "boot-1",
                router.pod(),
                router.role(),
                number,
                "p1",
                table.order().incarnation(),
                table.order().revision() + ahead,
                table.order().generation(),
                table.order().revision(),
                TableDigest.of(RoutingTableCodec.encode(table)),
                nack,
                "fake/1",
                new LoadReport(number, 60_000, asked.apply(table)));
    }

    @Override
    public void close() {
        beat.shutdownNow();
    }
}
