package io.shardwright.stage.workload;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * An order that this process has made, with its items. Held by at most one operation at a time.
 *
 * @param name stored as the order's reference
 * @param id given by the database
 */
record OrderRow(long tenant, String name, long id, Deque<ItemRow> items) {
    /** @param name stored as the item's sku */
    record ItemRow(String name, long id) {}

    OrderRow(long tenant, String name, long id) {
        this(tenant, name, id, new ArrayDeque<>());
    }
}
