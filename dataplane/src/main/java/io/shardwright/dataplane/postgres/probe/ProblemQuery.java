package io.shardwright.dataplane.postgres.probe;

import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.ShardedSchema.Table;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Runs a query of the form (kind, message), each row a problem. */
final class ProblemQuery {
    private final Connection connection;

    ProblemQuery(Connection connection) {
        this.connection = connection;
    }

    List<Problem> ask(String query, Object... parameters) throws SQLException {
        List<Problem> problems = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    problems.add(new Problem(Problem.Kind.valueOf(rows.getString(1)), rows.getString(2)));
                }
            }
        }
        return problems;
    }

    static Array column(Connection connection, ShardedSchema schema, Function<Table, String> value)
            throws SQLException {
        return texts(connection, schema.tables().stream().map(value).toList());
    }

    static Array texts(Connection connection, List<String> values) throws SQLException {
        return connection.createArrayOf("text", values.toArray());
    }
}
