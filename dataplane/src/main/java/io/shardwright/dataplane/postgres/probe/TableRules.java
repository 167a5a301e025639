package io.shardwright.dataplane.postgres.probe;

import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.ShardedSchema.Table;
import io.shardwright.dataplane.postgres.SqlText;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** What makes tables fit for sharding; the rules themselves are in {@code look-tables.sql}. */
final class TableRules {
    private TableRules() {}

    /** @param operator the login that must be a member of the tables' owners */
    static List<Problem> broken(Connection connection, String operator, ShardedSchema schema) throws SQLException {
        List<ReferenceTable> references =
                schema.referenceTables().stream().map(ReferenceTable::parse).toList();
        return new ProblemQuery(connection)
                .ask(
                        SqlText.script("look-tables.sql"),
                        schema.keyType().wire(),
                        operator,
                        ProblemQuery.column(connection, schema, Table::schema),
                        ProblemQuery.column(connection, schema, Table::name),
                        ProblemQuery.column(connection, schema, Table::shardKey),
                        ProblemQuery.texts(
                                connection,
                                references.stream().map(ReferenceTable::schema).toList()),
                        ProblemQuery.texts(
                                connection,
                                references.stream().map(ReferenceTable::name).toList()));
    }
}
