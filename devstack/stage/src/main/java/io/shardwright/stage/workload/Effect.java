package io.shardwright.stage.workload;

import io.shardwright.stage.ledger.LedgerEntry.Kind;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * One change of one row.
 *
 * @param row its name in the ledger
 * @param statement executes it with the value that the ledger gave
 * @param landed told when it is acknowledged, with what the statement returned
 */
record Effect(Kind kind, String row, Change statement, Landed landed) {
    interface Change {
        /** @return id of a new row, else 0 */
        long execute(Connection connection, long value) throws SQLException;
    }

    interface Landed {
        void with(long id);
    }

    static Effect insertOrder(OrderRows rows, long tenant, String name) {
        return new Effect(
                Kind.INSERT,
                name,
                (connection, value) -> OrderSql.insertOrder(connection, tenant, name, value),
                id -> rows.giveBack(new OrderRow(tenant, name, id)));
    }

    static Effect updateOrder(OrderRow order) {
        return new Effect(
                Kind.UPDATE,
                order.name(),
                (connection, value) -> {
                    OrderSql.updateOrder(connection, order, value);
                    return 0;
                },
                none -> {});
    }

    static Effect deleteOrder(OrderRow order) {
        return new Effect(
                Kind.DELETE,
                order.name(),
                (connection, value) -> {
                    OrderSql.deleteOrder(connection, order);
                    return 0;
                },
                none -> {});
    }

    static Effect insertItem(OrderRow order, String name) {
        return new Effect(
                Kind.INSERT,
                name,
                (connection, value) -> OrderSql.insertItem(connection, order, name, value),
                id -> order.items().addLast(new OrderRow.ItemRow(name, id)));
    }

    /** The item is out of the order's list while this is under way. */
    static Effect updateItem(OrderRow order, OrderRow.ItemRow item) {
        return new Effect(
                Kind.UPDATE,
                item.name(),
                (connection, value) -> {
                    OrderSql.updateItem(connection, order, item, value);
                    return 0;
                },
                none -> order.items().addLast(item));
    }

    static Effect deleteItem(OrderRow order, OrderRow.ItemRow item) {
        return new Effect(
                Kind.DELETE,
                item.name(),
                (connection, value) -> {
                    OrderSql.deleteItem(connection, order, item);
                    return 0;
                },
                none -> {});
    }
}
