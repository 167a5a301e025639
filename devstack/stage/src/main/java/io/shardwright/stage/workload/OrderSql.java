package io.shardwright.stage.workload;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The statements of the sample application, plain JDBC as any application has it. */
final class OrderSql {
    /** A row that was written and acknowledged is not there: the worst that can happen, so it counts as an error. */
    private static final String NO_DATA = "02000";

    private OrderSql() {}

    static long insertOrder(Connection connection, long tenant, String name, long value) throws SQLException {
        return insert(
                connection,
                "INSERT INTO orders (tenant_id, reference, total_cents) VALUES (?, ?, ?) RETURNING id",
                tenant,
                name,
                value);
    }

    static long insertItem(Connection connection, OrderRow order, String name, long value) throws SQLException {
        return insert(
                connection,
                "INSERT INTO order_items (tenant_id, sku, price_cents, order_id) VALUES (?, ?, ?, ?) RETURNING id",
                order.tenant(),
                name,
                value,
                order.id());
    }

    static void updateOrder(Connection connection, OrderRow order, long value) throws SQLException {
        change(
                connection,
                "UPDATE orders SET total_cents = ?, changed_at = clock_timestamp() WHERE tenant_id = ? AND id = ?",
                value,
                order.tenant(),
                order.id());
    }

    static void updateItem(Connection connection, OrderRow order, OrderRow.ItemRow item, long value)
            throws SQLException {
        change(
                connection,
                "UPDATE order_items SET price_cents = ? WHERE tenant_id = ? AND id = ?",
                value,
                order.tenant(),
                item.id());
    }

    static void deleteItem(Connection connection, OrderRow order, OrderRow.ItemRow item) throws SQLException {
        change(connection, "DELETE FROM order_items WHERE tenant_id = ? AND id = ?", order.tenant(), item.id());
    }

    static void deleteOrder(Connection connection, OrderRow order) throws SQLException {
        change(connection, "DELETE FROM orders WHERE tenant_id = ? AND id = ?", order.tenant(), order.id());
    }

    /** @throws SQLException 02000 when the order is not there */
    static void readOrder(Connection connection, OrderRow order) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT total_cents FROM orders WHERE tenant_id = ? AND id = ?")) {
            select.setLong(1, order.tenant());
            select.setLong(2, order.id());
            try (ResultSet rows = select.executeQuery()) {
                if (!rows.next()) {
                    throw missing("read");
                }
            }
        }
    }

    static long countOrders(Connection connection, long tenant) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT count(*) FROM orders WHERE tenant_id = ?")) {
            select.setLong(1, tenant);
            try (ResultSet rows = select.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }

    private static long insert(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            bind(insert, values);
            try (ResultSet rows = insert.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }

    private static void change(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement change = connection.prepareStatement(sql)) {
            bind(change, values);
            if (change.executeUpdate() != 1) {
                throw missing("change");
            }
        }
    }

    private static void bind(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
    }

    private static SQLException missing(String what) {
        return new SQLException("nothing to " + what + ": an acknowledged row is not there", NO_DATA);
    }
}
