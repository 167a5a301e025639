package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;

/**
 * One way to write.
 *
 * @param after values of the tenant's rows when it has run exactly once after the seed
 */
record WriteMode(String name, List<String> after, Work work) {
    @Override
    public String toString() {
        return name;
    }

    static Stream<WriteMode> all() {
        return Stream.concat(autocommits(), transactions());
    }

    static Stream<WriteMode> autocommits() {
        return Stream.of(
                new WriteMode(
                        "autocommit, plain insert",
                        List.of("new", "seed"),
                        Work.statement("INSERT INTO orders (tenant_id, id, v) VALUES ($T, 1, 'new')")),
                new WriteMode(
                        "autocommit, prepared insert",
                        List.of("new", "seed"),
                        Work.prepared("INSERT INTO orders (id, v, tenant_id) VALUES (2, ?, ?)", "new")),
                new WriteMode(
                        "autocommit, insert that reads",
                        List.of("seed", "seed"),
                        Work.statement(
                                "INSERT INTO orders SELECT tenant_id, id + 1, v FROM orders WHERE tenant_id = $T")),
                new WriteMode(
                        "autocommit, prepared update",
                        List.of("changed"),
                        Work.prepared("UPDATE orders SET v = ? WHERE tenant_id = ?", "changed")),
                new WriteMode(
                        "autocommit, delete with rows",
                        List.of(),
                        Work.statement("DELETE FROM orders WHERE tenant_id = $T RETURNING id")),
                new WriteMode(
                        "autocommit, several statements in one text",
                        List.of("a", "b", "seed"),
                        Work.statement(
                                "INSERT INTO orders VALUES ($T, 1, 'a'); INSERT INTO orders VALUES ($T, 2, 'b')")),
                new WriteMode("autocommit, procedure", List.of("seed!"), Work.statement("CALL raise_value($T)")),
                new WriteMode(
                        "autocommit, generated keys", List.of("new", "seed"), Work.connected(WriteMode::generatedKeys)),
                new WriteMode(
                        "batch, prepared inserts",
                        List.of("0", "1", "2", "seed"),
                        Work.connected(WriteMode::preparedBatch)),
                new WriteMode("batch, updates as text", List.of("seed++"), Work.connected(WriteMode::textBatch)));
    }

    static Stream<WriteMode> transactions() {
        return Stream.of(
                new WriteMode("transaction that reads first", List.of("seed+1"), Work.transaction(Work::readThenWrite)),
                new WriteMode("transaction with settings first", List.of("seed+1"), Work.transaction(connection -> {
                    try (Statement set = connection.createStatement()) {
                        set.execute("SET LOCAL work_mem = '8MB'");
                    }
                    Work.readThenWrite(connection);
                    try (Statement show = connection.createStatement();
                            ResultSet rows = show.executeQuery("SHOW work_mem")) {
                        rows.next();
                        assertThat(rows.getString(1)).isEqualTo("8MB");
                    }
                })),
                new WriteMode("transaction with a savepoint first", List.of("seed+1"), Work.transaction(connection -> {
                    connection.rollback(connection.setSavepoint());
                    Work.readThenWrite(connection);
                })),
                new WriteMode("repeatable read transaction", List.of("seed+1"), Work.transaction(connection -> {
                    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                    Work.readThenWrite(connection);
                })),
                new WriteMode("streaming read, then write", List.of("seed+1"), Work.transaction(connection -> {
                    try (Statement stream = connection.createStatement()) {
                        stream.setFetchSize(1);
                        try (ResultSet rows = stream.executeQuery(
                                "SELECT v FROM orders WHERE tenant_id = " + OldTableRouter.TENANT)) {
                            assertThat(rows.next()).isTrue();
                        }
                    }
                    Work.readThenWrite(connection);
                })),
                new WriteMode(
                        "callback transaction",
                        List.of("seed+1"),
                        router -> router.dataSource
                                .transactions()
                                .run(router.router.scopes().key(OldTableRouter.TENANT), connection -> {
                                    Work.readThenWrite(connection);
                                    return null;
                                })));
    }

    private static void generatedKeys(Connection connection) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO orders (tenant_id, v) VALUES (?, lower('NEW'))", Statement.RETURN_GENERATED_KEYS)) {
            insert.setLong(1, OldTableRouter.TENANT);
            insert.executeUpdate();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                assertThat(keys.getLong("id")).isPositive();
            }
        }
    }

    private static void preparedBatch(Connection connection) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?, ?, ?)")) {
            for (int i = 0; i < 3; i++) {
                insert.setLong(1, OldTableRouter.TENANT);
                insert.setInt(2, i);
                insert.setString(3, Integer.toString(i));
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).containsExactly(1, 1, 1);
        }
    }

    private static void textBatch(Connection connection) throws SQLException {
        try (Statement batch = connection.createStatement()) {
            batch.addBatch("UPDATE orders SET v = v || '+' WHERE tenant_id = " + OldTableRouter.TENANT);
            batch.addBatch("UPDATE orders SET v = v || '+' WHERE tenant_id = " + OldTableRouter.TENANT);
            assertThat(batch.executeBatch()).containsExactly(1, 1);
        }
    }
}
