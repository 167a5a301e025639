package io.shardwright.stage.workload;

import io.shardwright.stage.workload.OrderRow.ItemRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * What the application does next for a tenant.
 *
 * @param order taken out of the free ones for it; empty when a new one is made
 * @param effects at least one; an autocommit operation has exactly one
 * @param keepsOrder false when the order is gone afterwards
 */
record Operation(long tenant, Optional<OrderRow> order, List<Effect> effects, boolean keepsOrder) {

    /** Chooses operations: new orders now and then, else changes of an order that rested longest. */
    static final class Choice {
        private static final int NEW_ORDER_PERCENT = 25;
        private static final int UPDATE_ORDER_PERCENT = 35;
        private static final int ITEMS_MOST = 4;

        private final OrderRows rows;
        private final String router;
        private final AtomicLong names = new AtomicLong();

        Choice(OrderRows rows, String router) {
            this.rows = rows;
            this.router = router;
        }

        Operation next(long tenant, boolean transaction, RandomGenerator random) {
            boolean fresh = !rows.isFull(tenant) && random.nextInt(100) < NEW_ORDER_PERCENT;
            Optional<OrderRow> taken = fresh ? Optional.empty() : rows.take(tenant);
            if (taken.isEmpty()) {
                String name = name("w-o-");
                return new Operation(tenant, taken, List.of(Effect.insertOrder(rows, tenant, name)), false);
            }
            OrderRow order = taken.get();
            if (transaction) {
                List<Effect> both = new ArrayList<>(List.of(Effect.updateOrder(order)));
                both.add(onItem(order, random));
                return new Operation(tenant, taken, List.copyOf(both), true);
            }
            if (random.nextInt(100) < UPDATE_ORDER_PERCENT) {
                return new Operation(tenant, taken, List.of(Effect.updateOrder(order)), true);
            }
            if (order.items().isEmpty() && random.nextBoolean()) {
                return new Operation(tenant, taken, List.of(Effect.deleteOrder(order)), false);
            }
            return new Operation(tenant, taken, List.of(onItem(order, random)), true);
        }

        private Effect onItem(OrderRow order, RandomGenerator random) {
            int items = order.items().size();
            if (items == 0 || items < ITEMS_MOST && random.nextInt(3) == 0) {
                return Effect.insertItem(order, name("w-i-"));
            }
            ItemRow item = order.items().pollFirst();
            return random.nextBoolean() ? Effect.updateItem(order, item) : Effect.deleteItem(order, item);
        }

        private String name(String prefix) {
            return prefix + router + "-" + names.incrementAndGet();
        }
    }
}
