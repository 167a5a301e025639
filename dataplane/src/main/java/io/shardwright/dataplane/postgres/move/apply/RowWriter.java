package io.shardwright.dataplane.postgres.move.apply;

import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes row changes of a group, table by table: foreign keys are not checked here, since the source has checked them, so
 * only the order within a table matters.
 */
final class RowWriter {
    private final Connection connection;
    private final Map<String, TableBatch> tables = new LinkedHashMap<>();

    RowWriter(Connection connection) {
        this.connection = connection;
    }

    void write(List<RowChange> changes) throws SQLException, MoverFault {
        for (RowChange change : changes) {
            tables.computeIfAbsent(change.table().qualifiedName(), name -> new TableBatch(connection, change.table()))
                    .add(change);
        }
        for (TableBatch table : tables.values()) {
            table.send();
        }
    }
}
