package io.shardwright.dataplane.postgres.move.apply;

import io.shardwright.dataplane.postgres.move.stream.Tuple.Kind;
import io.shardwright.dataplane.postgres.move.stream.Tuple.Value;
import io.shardwright.dataplane.postgres.move.tables.MovedTable;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Changes of one table that travel together: few round trips, whatever the source mixed. Writes keep the source's order. A
 * delete goes before all writes and takes earlier writes of its row with it; that only ever frees values of unique
 * indexes earlier. A change of a key is a border that nothing passes.
 */
final class TableBatch {
    private final Connection connection;
    private final MovedTable table;
    private final Map<String, PreparedStatement> statements = new HashMap<>();
    private final Set<List<String>> deletes = new LinkedHashSet<>();
    private final List<RowChange> writes = new ArrayList<>();
    private final Set<List<String>> written = new HashSet<>();

    TableBatch(Connection connection, MovedTable table) {
        this.connection = connection;
        this.table = table;
    }

    void add(RowChange change) throws SQLException, MoverFault {
        switch (change) {
            case RowChange.Upsert upsert -> append(upsert);
            case RowChange.Delete delete -> {
                if (written.remove(delete.key())) {
                    writes.removeIf(write -> key(write).equals(delete.key()));
                }
                deletes.add(delete.key());
            }
            case RowChange.Update update -> {
                boolean keyChange = !key(update).equals(update.key());
                if (keyChange) {
                    send();
                }
                append(update);
                if (keyChange) {
                    send();
                }
            }
        }
    }

    private void append(RowChange write) {
        writes.add(write);
        written.add(key(write));
    }

    /** The key of the row after the change. */
    private List<String> key(RowChange change) {
        List<Value> values = switch (change) {
            case RowChange.Upsert upsert -> upsert.values();
            case RowChange.Update update -> update.values();
            case RowChange.Delete delete -> throw new IllegalArgumentException("a delete writes no row");
        };
        List<String> old = change instanceof RowChange.Update update ? update.key() : null;
        List<MovedTable.Column> columns = table.key();
        return IntStream.range(0, columns.size())
                .mapToObj(i -> {
                    Value value = values.get(table.columns().indexOf(columns.get(i)));
                    return value.kind() == Kind.UNCHANGED ? old.get(i) : value.text();
                })
                .toList();
    }

    void send() throws SQLException, MoverFault {
        if (!deletes.isEmpty()) {
            PreparedStatement statement = statement(RowSql.delete(table));
            for (List<String> key : deletes) {
                bind(statement, 1, key);
                statement.addBatch();
            }
            execute(statement);
            deletes.clear();
        }
        for (int from = 0; from < writes.size(); ) {
            from = sendRun(from);
        }
        writes.clear();
        written.clear();
    }

    /** Sends neighbours with the same statement. @return where the next run begins */
    private int sendRun(int from) throws SQLException, MoverFault {
        String sql = sql(writes.get(from));
        PreparedStatement statement = statement(sql);
        int to = from;
        while (to < writes.size() && sql(writes.get(to)).equals(sql)) {
            bind(statement, writes.get(to++));
            statement.addBatch();
        }
        int[] counts = execute(statement);
        if (writes.get(from) instanceof RowChange.Update) {
            for (int count : counts) {
                if (count != 1) {
                    throw MoverFault.diverged(
                            "a row of " + table.qualifiedName() + " that the source has updated is not on the target");
                }
            }
        }
        return to;
    }

    private String sql(RowChange write) {
        return write instanceof RowChange.Update update ? RowSql.update(table, update.values()) : RowSql.upsert(table);
    }

    private void bind(PreparedStatement statement, RowChange write) throws SQLException {
        switch (write) {
            case RowChange.Upsert upsert ->
                bind(statement, 1, upsert.values().stream().map(Value::text).toList());
            case RowChange.Update update -> {
                List<String> values = RowSql.updated(table, update.values()).stream()
                        .map(column -> update.values().get(column).text())
                        .toList();
                bind(statement, 1, values);
                bind(statement, 1 + values.size(), update.key());
            }
            case RowChange.Delete delete -> throw new IllegalArgumentException("a delete writes no row");
        }
    }

    private static void bind(PreparedStatement statement, int from, List<String> values) throws SQLException {
        for (int i = 0; i < values.size(); i++) {
            statement.setObject(from + i, values.get(i), Types.OTHER);
        }
    }

    private PreparedStatement statement(String sql) throws SQLException {
        PreparedStatement statement = statements.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            statements.put(sql, statement);
        }
        return statement;
    }

    /** The driver's own message about a batch would show the values of the row. */
    private static int[] execute(PreparedStatement statement) throws SQLException {
        try {
            return statement.executeBatch();
        } catch (BatchUpdateException e) {
            throw e.getNextException() == null ? e : e.getNextException();
        }
    }
}
