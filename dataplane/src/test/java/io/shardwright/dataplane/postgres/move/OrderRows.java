package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.postgres.ShopDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Orders of one bucket's tenant, each with a note that says where it comes from. */
final class OrderRows {
    private OrderRows() {}

    /** The first one, past the fence. */
    static void plant(MovePair pair, int bucket) {
        pair.here.plant(insert(bucket, 1, "row"));
    }

    static String insert(int bucket, int id, String note) {
        return "INSERT INTO orders VALUES (" + ShopDatabase.keyIn(bucket) + ", " + id + ", '" + note + "')";
    }

    /** As an application that knows where the bucket is. */
    static void write(ShopDatabase owner, String sql) {
        try (Connection app = owner.app();
                Statement statement = app.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** "1row,2there" */
    static String notes(ShopDatabase database, int bucket) {
        return database.value("SELECT string_agg(id || note, ',' ORDER BY id) FROM orders WHERE tenant_id = "
                + ShopDatabase.keyIn(bucket));
    }
}
