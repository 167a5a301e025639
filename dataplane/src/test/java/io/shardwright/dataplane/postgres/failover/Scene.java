package io.shardwright.dataplane.postgres.failover;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardAccess.Endpoint;
import io.shardwright.dataplane.ShardAccess.Login;
import io.shardwright.dataplane.ShardAccess.Tls;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.MoverDriver;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;

/**
 * One bucket with some rows and the two databases that a story moves it between, in words that another process can be started
 * with. Movers come through proxies, the application and the one who looks come past them.
 */
record Scene(UUID moveId, int bucket, Place here, Place there) {
    private static final int ROWS = 20;

    /** @param url of the superuser; @param proxy port of the movers */
    record Place(String shard, String database, String url, int proxy) {}

    List<String> words() {
        return List.of(
                moveId.toString(),
                Integer.toString(bucket),
                here.database,
                here.url,
                Integer.toString(here.proxy),
                there.database,
                there.url,
                Integer.toString(there.proxy));
    }

    static Scene of(List<String> words) {
        return new Scene(
                UUID.fromString(words.get(0)),
                Integer.parseInt(words.get(1)),
                new Place("ds-0", words.get(2), words.get(3), Integer.parseInt(words.get(4))),
                new Place("ds-4", words.get(5), words.get(6), Integer.parseInt(words.get(7))));
    }

    MoveTask task() {
        return new MoveTask(
                moveId,
                "orders",
                access(here),
                access(there),
                ShopDatabase.SCHEMA,
                Scope.buckets(bucket),
                MoverDriver.PATIENT);
    }

    private static ShardAccess access(Place place) {
        return new ShardAccess(
                place.shard,
                List.of(new Endpoint("a", "127.0.0.1", place.proxy)),
                place.database,
                new Login("shardwright_operator", ShopDatabase.OPERATOR_PASSWORD),
                new Login("shardwright_mover", ShopDatabase.MOVER_PASSWORD),
                new Tls(Tls.Mode.DISABLE, null));
    }

    private long tenant() {
        return ShopDatabase.keyIn(bucket);
    }

    void plant() {
        run(here, """
            SET session_replication_role = replica;
            INSERT INTO orders SELECT %1$d, n, 'old' FROM generate_series(1, %2$d) n;
            INSERT INTO order_items SELECT %1$d, n, n, 'sku' FROM generate_series(1, %2$d) n\
            """.formatted(tenant(), ROWS));
        value(there, "SELECT setval('orders_id_seq', 1) + setval('order_items_id_seq', 1)");
    }

    /** The application's part: what the copy has not seen, what it has seen in another shape, what is gone again. */
    void writeHere() {
        write(here, "new", 21, 3, 4);
    }

    /** The same on the other shard, once that owns the bucket. */
    void writeThere() {
        write(there, "there", 22, 5, 6);
    }

    /** Written again it changes nothing more. */
    private void write(Place owner, String note, int added, int changed, int gone) {
        run(owner, """
            SET session_replication_role = replica;
            INSERT INTO orders VALUES (%1$d, %3$d, '%2$s') ON CONFLICT DO NOTHING;
            UPDATE orders SET note = '%2$s' WHERE tenant_id = %1$d AND id = %4$d;
            DELETE FROM order_items WHERE tenant_id = %1$d AND id = %5$d\
            """.formatted(tenant(), note, added, changed, gone));
    }

    /** Both fence rows, "MOVED 2 / IMPORTING 1". */
    String fences() {
        return fence(here) + " / " + fence(there);
    }

    private String fence(Place place) {
        return value(
                place,
                "SELECT COALESCE((SELECT state || ' ' || epoch FROM shardwright.fence WHERE scope = 'b:" + bucket
                        + "'), 'absent')");
    }

    boolean hereOwns() {
        return fence(here).startsWith("OWNED");
    }

    boolean thereOwns() {
        return fence(there).startsWith("OWNED");
    }

    String rowsHere() {
        return rows(here);
    }

    String rowsThere() {
        return rows(there);
    }

    private String rows(Place place) {
        return value(place, """
            SELECT concat((SELECT string_agg(concat(id, note), ' ' ORDER BY id) FROM orders WHERE tenant_id = %1$d), ' ',
              (SELECT string_agg(concat(order_id, '/', id, sku), ' ' ORDER BY id) FROM order_items WHERE tenant_id = %1$d))\
            """.formatted(tenant())).strip();
    }

    private static void run(Place place, String sql) {
        try (Connection connection = DriverManager.getConnection(place.url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String value(Place place, String sql) {
        try (Connection connection = DriverManager.getConnection(place.url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
