package io.shardwright.dataplane.postgres.move.tables;

import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.Overrides;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** All tables that travel, in declared order, with the source's own identity of their shape at that time, and whose rows stay. */
public record MovedTables(List<MovedTable> tables, String identity, Overrides overrides) {
    /** As the mover's source has them now. */
    public static MovedTables of(Incarnation mover) throws MoverFault {
        Overrides overrides = Overrides.read(mover);
        return mover.source()
                .read(
                        "read the tables",
                        connection -> read(connection, mover.task().schema(), overrides));
    }

    private static MovedTables read(Connection source, ShardedSchema schema, Overrides overrides)
            throws SQLException, MoverFault {
        String identity = identity(source);
        List<MovedTable> tables = new ArrayList<>();
        for (ShardedSchema.Table table : schema.tables()) {
            MovedTable shape =
                    MovedTable.read(source, table.schema(), table.name(), table.shardKey(), overrides.keys());
            if (shape.key().isEmpty()) {
                throw MoverFault.schemaChanged("table " + shape.qualifiedName() + " has no primary key (any more)");
            }
            tables.add(shape);
        }
        return new MovedTables(List.copyOf(tables), identity, overrides);
    }

    /** Changes with every change of a sharded table, trigger or publication of this database. */
    public static String identity(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT shardwright.schema_identity()")) {
            row.next();
            return row.getString(1);
        }
    }

    public Optional<MovedTable> find(String schema, String name) {
        return tables.stream()
                .filter(table -> table.schema().equals(schema) && table.name().equals(name))
                .findFirst();
    }

    /** All names, quoted, for one LOCK TABLE. */
    public String sqlNames() {
        return String.join(", ", quotedNames());
    }

    public List<String> quotedNames() {
        return tables.stream().map(MovedTable::sql).toList();
    }
}
