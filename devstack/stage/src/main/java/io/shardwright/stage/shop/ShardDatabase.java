package io.shardwright.stage.shop;

import io.shardwright.servers.PostgresServer;
import io.shardwright.servers.ScramSecret;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** One shard of the sample application: a PostgreSQL server of its own with the database {@code shop}. */
public final class ShardDatabase implements AutoCloseable {
    public static final String DATABASE = "shop";
    public static final String APPLICATION_LOGIN = "shop_app";

    private final PostgresServer server;

    public ShardDatabase(PostgresServer server) {
        this.server = server;
    }

    public String name() {
        return server.name();
    }

    public PostgresServer server() {
        return server;
    }

    /** The application's schema, then what a DBA does for Shardwright: the shipped script, passwords, one grant. */
    public void bootstrap(Path databaseScript, Passwords passwords) {
        server.createDatabase(DATABASE);
        run(resource("shop.sql"));
        run(read(databaseScript));
        run("""
                GRANT shardwright_app TO %s;
                ALTER ROLE %s PASSWORD '%s';
                ALTER ROLE shardwright_operator PASSWORD '%s';
                ALTER ROLE shardwright_mover PASSWORD '%s';
                """.formatted(
                        APPLICATION_LOGIN,
                        APPLICATION_LOGIN,
                        ScramSecret.of(passwords.application()),
                        ScramSecret.of(passwords.operator()),
                        ScramSecret.of(passwords.mover())));
    }

    /** Orders for these tenants, two items each. */
    public void seed(List<Long> tenants, int ordersPerTenant) {
        if (tenants.isEmpty()) {
            return;
        }
        var keys = tenants.stream().map(String::valueOf).collect(Collectors.joining(","));
        run("""
                INSERT INTO orders (tenant_id, reference, total_cents)
                  SELECT tenant, 'seed-' || tenant || '-' || number, 1000 * number
                  FROM unnest(ARRAY[%s]::bigint[]) tenant, generate_series(1, %d) number;
                INSERT INTO order_items (tenant_id, order_id, sku, quantity, price_cents)
                  SELECT tenant_id, id, 'sku-' || item, item, 100 * item FROM orders, generate_series(1, 2) item;
                ANALYZE orders, order_items;
                """.formatted(keys, ordersPerTenant));
    }

    /** Runs statements as the superuser in the shop's database. */
    public void run(String sql) {
        server.runScript(DATABASE, sql);
    }

    /** Rows as text, as the superuser in the shop's database. */
    public List<List<String>> query(String sql) {
        return server.query(DATABASE, sql);
    }

    @Override
    public void close() {
        server.close();
    }

    private static String resource(String name) {
        try (var in = ShardDatabase.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path script) {
        try {
            return Files.readString(script);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
