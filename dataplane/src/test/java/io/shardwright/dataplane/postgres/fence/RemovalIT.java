package io.shardwright.dataplane.postgres.fence;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.servers.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What README.md says that a superuser types when Shardwright is uninstalled. */
class RemovalIT {
    private static final Pattern SCRIPT =
            Pattern.compile("```\\n(SELECT pg_drop_replication_slot.*?)```", Pattern.DOTALL);

    private static String script() throws IOException {
        Matcher script = SCRIPT.matcher(Files.readString(Path.of("..", "README.md")));
        assertThat(script.find()).as("README.md has the script").isTrue();
        return script.group(1);
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

            server.runScript("shop", script());

            try (var app = shop.app();
                    var statement = app.createStatement()) {
                assertThat(statement.executeUpdate(insert)).isEqualTo(1);
            }
            assertThat(shop.count("pg_trigger WHERE tgname LIKE 'zz\\_shardwright%'"))
                    .isZero();
            assertThat(shop.count("pg_roles WHERE rolname LIKE 'shardwright%'")).isZero();
            assertThat(shop.count("pg_namespace WHERE nspname = 'shardwright'")).isZero();
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
