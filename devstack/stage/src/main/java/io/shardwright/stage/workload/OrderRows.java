package io.shardwright.stage.workload;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingDeque;

/** The orders that no operation is working on. Taking one out is what makes a row have one writer. */
final class OrderRows {
    private static final int KEPT_PER_TENANT = 12;

    private final Map<Long, BlockingDeque<OrderRow>> free = new ConcurrentHashMap<>();

    /** The order that has rested longest. */
    Optional<OrderRow> take(long tenant) {
        return Optional.ofNullable(of(tenant).pollFirst());
    }

    /** Gives a known row back; one whose state nobody knows is never given back. */
    void giveBack(OrderRow row) {
        of(row.tenant()).addLast(row);
    }

    /** The tenant has so many that a new one should wait until another is gone. */
    boolean isFull(long tenant) {
        return of(tenant).size() >= KEPT_PER_TENANT;
    }

    private BlockingDeque<OrderRow> of(long tenant) {
        return free.computeIfAbsent(tenant, id -> new LinkedBlockingDeque<>());
    }
}
