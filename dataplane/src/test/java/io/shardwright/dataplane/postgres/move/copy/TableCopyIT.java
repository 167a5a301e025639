package io.shardwright.dataplane.postgres.move.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.tables.MovedTable;
import io.shardwright.routing.Scope;
import io.shardwright.servers.PostgresServer.Version;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How the scan of a table ends. */
class TableCopyIT {
    private static ShopDatabase here;
    private static ShopDatabase there;

    @BeforeAll
    static void prepareTables() {
        here = ShopDatabase.fenced(SharedServers.of(Version.OLDEST), "table_copy_here");
        there = ShopDatabase.fenced(SharedServers.of(Version.NEWEST), "table_copy_there");
        here.plant("INSERT INTO orders SELECT " + ShopDatabase.keyIn(17)
                + ", n, repeat('x', 3000) FROM generate_series(1, 3000) n");
    }

    @Test
    void theSessionServesTheNextTableAfterTheLastRow() throws SQLException {
        try (Connection reader = here.mover();
                Connection writer = there.superuser();
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            writer.setAutoCommit(false);
            long rows = 0;
            try (TableCopy copy = new TableCopy(reader, orders(reader), Scope.buckets(17))) {
                while (copy.hasMore()) {
                    rows += copy.writeChunk(writer).rows();
                }
            }
            assertThat(rows).isEqualTo(3000);
            assertThat(statement.execute("SELECT 1")).isTrue();
        }
    }

    /** Reading a large table to its end would only delay the news that something has failed. */
    @Test
    void aScanThatIsGivenUpIsCancelledOnTheServer() throws SQLException {
        try (Connection reader = here.mover();
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            TableCopy copy = new TableCopy(reader, orders(reader), Scope.buckets(17));
            assertThat(copy.hasMore()).isTrue();
            copy.close();
            assertThatThrownBy(() -> statement.execute("SELECT 1"))
                    .as("the transaction has failed with its scan")
                    .isInstanceOf(SQLException.class);
        }
    }

    private static MovedTable orders(Connection connection) throws SQLException {
        return MovedTable.read(connection, "public", "orders", "tenant_id");
    }
}
