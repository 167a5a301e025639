package io.shardwright.dataplane.postgres.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.servers.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What README.md says that a superuser types when Shardwright is uninstalled. */
class RemovalIT {
    private static final Pattern SCRIPT =
            Pattern.compile("```\\n(SELECT pg_drop_replication_slot.*?)```", Pattern.DOTALL);
    private static final String TRIGGERS = "pg_trigger WHERE tgname LIKE 'zz\\_shardwright%' AND tgparentid = 0";

    /** Statement by statement, as psql sends them. */
    private static List<String> script() throws IOException {
        Matcher script = SCRIPT.matcher(Files.readString(Path.of("..", "README.md")));
        assertThat(script.find()).as("README.md has the script").isTrue();
        List<String> statements = new ArrayList<>();
        StringBuilder statement = new StringBuilder();
        boolean quoted = false;
        for (String line : script.group(1).split("\n")) {
            String code = line.replaceFirst("--.*", "").stripTrailing();
            quoted ^= code.split("\\$\\$", -1).length % 2 == 0;
            statement.append(code).append('\n');
            if (!quoted && code.endsWith(";")) {
                statements.add(statement.toString());
                statement.setLength(0);
            }
        }
        assertThat(statement.toString()).isBlank();
        return statements;
    }

    private static void type(ShopDatabase shop) throws IOException, SQLException {
        try (Connection superuser = shop.server().connect(shop.name());
                Statement session = superuser.createStatement()) {
            for (String statement : script()) {
                session.execute(statement);
            }
        }
    }

    @Test
    void theScriptTakesTheFenceAwayAndLeavesTheApplicationAsItWas() throws IOException, SQLException {
        try (PostgresServer server = PostgresServer.builder().name("removal").start()) {
            ShopDatabase shop = ShopDatabase.fenced(server, "shop", 42);
            String insert = "INSERT INTO orders (tenant_id, note) VALUES (" + ShopDatabase.keyIn(42) + ", 'x')";
            try (var app = shop.app();
                    var statement = app.createStatement()) {
                assertThat(refused(statement, insert)).isTrue();
            }

            aTableInUseIsLeftForTheNextTime(shop);
            type(shop);

            try (var app = shop.app();
                    var statement = app.createStatement()) {
                assertThat(statement.executeUpdate(insert)).isEqualTo(1);
            }
            assertThat(shop.count(TRIGGERS)).isZero();
            assertThat(shop.count("pg_roles WHERE rolname LIKE 'shardwright%'")).isZero();
            assertThat(shop.count("pg_namespace WHERE nspname = 'shardwright'")).isZero();
        }
    }

    /** One statement for everything would not come past it, and keep the other tables from everybody meanwhile. */
    private static void aTableInUseIsLeftForTheNextTime(ShopDatabase shop) throws SQLException {
        try (Connection app = shop.app();
                Statement busy = app.createStatement()) {
            app.setAutoCommit(false);
            busy.executeUpdate("DELETE FROM order_items WHERE tenant_id = " + ShopDatabase.keyIn(7));

            assertThatThrownBy(() -> shop.server()
                            .runScript(shop.name(), "SET lock_timeout = '1s'; DROP SCHEMA shardwright CASCADE"))
                    .hasMessageContaining("lock timeout");
            assertThat(shop.count(TRIGGERS)).as("by one statement").isEqualTo(4);

            assertThatThrownBy(() -> type(shop)).hasMessageContaining("run this again");
            assertThat(shop.count(TRIGGERS + " AND tgrelid = 'orders'::regclass"))
                    .isZero();
            assertThat(shop.count(TRIGGERS + " AND tgrelid = 'order_items'::regclass"))
                    .isEqualTo(2);
            app.rollback();
        }
    }

    private static boolean refused(Statement statement, String insert) {
        try {
            statement.executeUpdate(insert);
            return false;
        } catch (SQLException e) {
            return e.getSQLState().equals("SH409");
        }
    }
}
