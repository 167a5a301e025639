package io.shardwright.dataplane.postgres.fence;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.PGConnection;

/**
 * Every kind of statement that changes rows. Each one leaves a row of {@code orders} with the note {@code fresh}, or without
 * the row {@code id}, so that its effect can be counted.
 */
enum Write {
    INSERT("INSERT INTO orders (tenant_id, id, note) VALUES (:key, :fresh, 'fresh')"),
    UPDATE("UPDATE orders SET note = 'fresh' WHERE tenant_id = :key AND id = :id"),
    DELETE("DELETE FROM orders WHERE tenant_id = :key AND id = :id"),
    COPY(null),
    INSERT_SELECT("INSERT INTO orders (tenant_id, id, note) SELECT tenant_id, :fresh, 'fresh' FROM orders"
            + " WHERE tenant_id = :key AND id = :id"),
    ON_CONFLICT("INSERT INTO orders (tenant_id, id, note) VALUES (:key, :id, 'old')"
            + " ON CONFLICT (tenant_id, id) DO UPDATE SET note = 'fresh'"),
    MERGE("MERGE INTO orders o USING (VALUES (:key, :id)) AS s (k, i) ON o.tenant_id = s.k AND o.id = s.i"
            + " WHEN MATCHED THEN UPDATE SET note = 'fresh'"
            + " WHEN NOT MATCHED THEN INSERT (tenant_id, id, note) VALUES (s.k, s.i, 'fresh')"),
    CTE_DELETE(
            "WITH gone AS (DELETE FROM orders WHERE tenant_id = :key AND id = :id RETURNING id) SELECT count(*) FROM gone");

    private static final Pattern PARAMETER = Pattern.compile(":(key|id|fresh)\\b");

    private final String template;

    Write(String template) {
        this.template = template;
    }

    /** A COPY is neither prepared nor batched. */
    boolean isCopy() {
        return template == null;
    }

    private static long value(String parameter, long key, long id) {
        return switch (parameter) {
            case "key" -> key;
            case "id" -> id;
            default -> id + 1_000;
        };
    }

    String sql(long key, long id) {
        return PARAMETER.matcher(template).replaceAll(match -> Long.toString(value(match.group(1), key, id)));
    }

    void execute(Connection connection, long key, long id) throws SQLException {
        if (isCopy()) {
            copy(connection, key, id);
            return;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql(key, id));
        }
    }

    private static void copy(Connection connection, long key, long id) throws SQLException {
        try {
            connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn(
                            "COPY orders (tenant_id, id, note) FROM STDIN",
                            new StringReader(key + "\t" + (id + 1_000) + "\tfresh\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** With parameters, as a statement that the server keeps by name from the first execution on. */
    PreparedStatement prepare(Connection connection, long key, long id) throws SQLException {
        List<Long> values = new ArrayList<>();
        Matcher parameters = PARAMETER.matcher(template);
        String sql = parameters.replaceAll(match -> {
            values.add(value(match.group(1), key, id));
            return "?::bigint";
        });
        PreparedStatement statement = connection.prepareStatement(sql);
        statement.unwrap(org.postgresql.PGStatement.class).setPrepareThreshold(1);
        for (int i = 0; i < values.size(); i++) {
            statement.setLong(i + 1, values.get(i));
        }
        return statement;
    }
}
