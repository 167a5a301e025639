package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;

/** Something that an application does in the scope of the tenant of {@link OldTableRouter}. */
interface Work {
    void run(TestRouter router) throws SQLException;

    /** On a thread of its own. */
    default CompletableFuture<Void> start(TestRouter router) {
        return CompletableFuture.runAsync(() -> {
            try {
                run(router);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** What is done with the connection of a scope. */
    interface OnConnection {
        void run(Connection connection) throws SQLException;
    }

    static Work connected(OnConnection body) {
        return router -> {
            try (ShardScope scope = router.key(OldTableRouter.TENANT);
                    Connection connection = router.dataSource.getConnection()) {
                assertThat(scope.key().text()).isEqualTo(Long.toString(OldTableRouter.TENANT));
                body.run(connection);
            }
        };
    }

    static Work statement(String sql) {
        return connected(connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql.replace("$T", Long.toString(OldTableRouter.TENANT)));
            }
        });
    }

    static Work prepared(String sql, String value) {
        return connected(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setString(1, value);
                statement.setLong(2, OldTableRouter.TENANT);
                assertThat(statement.executeUpdate()).isEqualTo(1);
            }
        });
    }

    static Work transaction(OnConnection body) {
        return connected(connection -> {
            connection.setAutoCommit(false);
            body.run(connection);
            connection.commit();
        });
    }

    static void readThenWrite(Connection connection) throws SQLException {
        String before;
        try (PreparedStatement read = connection.prepareStatement("SELECT v FROM orders WHERE tenant_id = ?")) {
            read.setLong(1, OldTableRouter.TENANT);
            try (ResultSet rows = read.executeQuery()) {
                assertThat(rows.next()).as("the row is where it was read").isTrue();
                before = rows.getString(1);
            }
        }
        try (PreparedStatement write = connection.prepareStatement("UPDATE orders SET v = ? WHERE tenant_id = ?")) {
            write.setString(1, before + "+1");
            write.setLong(2, OldTableRouter.TENANT);
            assertThat(write.executeUpdate()).isEqualTo(1);
        }
    }
}
