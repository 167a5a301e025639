package io.shardwright.planning.table;

import io.shardwright.routing.TableOrder;

/**
 * Somebody who has a table of the cluster, or had one: a router by its acknowledgement, the copy that pods mount, the process
 * that published it.
 *
 * @param who for people: "orders-web-7 (web)"
 * @param order of the newest table that it has
 * @param refuses it refuses what is stored as no successor of that table (T2, T3), which one history never makes it do
 */
public record Witness(String who, TableOrder order, boolean refuses) {
    /**
     * Whether the stored table cannot be the newest of the history that this table is of. Every table is stored before
     * anybody has it, so this holds only when the stored one was read from the API server's newest state <em>after</em> the
     * witness was heard.
     */
    public boolean contradicts(TableOrder stored) {
        return order.compareTo(stored) > 0 || refuses && order.incarnation() == stored.incarnation();
    }
}
