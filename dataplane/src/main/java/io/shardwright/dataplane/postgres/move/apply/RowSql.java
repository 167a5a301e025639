package io.shardwright.dataplane.postgres.move.apply;

import io.shardwright.dataplane.postgres.SqlText;
import io.shardwright.dataplane.postgres.move.stream.Tuple.Kind;
import io.shardwright.dataplane.postgres.move.stream.Tuple.Value;
import io.shardwright.dataplane.postgres.move.tables.MovedTable;
import io.shardwright.dataplane.postgres.move.tables.MovedTable.Column;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The statements by which rows are written. Values go as text of unknown type, so the server reads them as the type of
 * their column. An identity that is GENERATED ALWAYS can be inserted, but never updated, on either side.
 */
final class RowSql {
    private RowSql() {}

    static String upsert(MovedTable table) {
        String rest = assignments(
                table, column -> !column.inKey() && !column.alwaysIdentity(), name -> name + " = excluded." + name);
        return "INSERT INTO " + table.sql() + " (" + table.columnList() + ") OVERRIDING SYSTEM VALUE VALUES ("
                + table.columns().stream().map(column -> "?").collect(Collectors.joining(", "))
                + ") ON CONFLICT (" + table.keyList() + ") DO "
                + (rest.isEmpty() ? "NOTHING" : "UPDATE SET " + rest);
    }

    private static String assignments(
            MovedTable table, Predicate<Column> which, java.util.function.UnaryOperator<String> text) {
        return table.columns().stream()
                .filter(which)
                .map(column -> text.apply(SqlText.identifier(column.name())))
                .collect(Collectors.joining(", "));
    }

    /** @return places of the columns that {@link #update} sets: what the log has, without identities that never change */
    static List<Integer> updated(MovedTable table, List<Value> values) {
        return IntStream.range(0, values.size())
                .filter(i -> values.get(i).kind() != Kind.UNCHANGED
                        && !table.columns().get(i).alwaysIdentity())
                .boxed()
                .toList();
    }

    static String update(MovedTable table, List<Value> values) {
        return "UPDATE " + table.sql() + " SET "
                + updated(table, values).stream()
                        .map(i -> SqlText.identifier(table.columns().get(i).name()) + " = ?")
                        .collect(Collectors.joining(", "))
                + keyCondition(table);
    }

    static String delete(MovedTable table) {
        return "DELETE FROM " + table.sql() + keyCondition(table);
    }

    private static String keyCondition(MovedTable table) {
        return " WHERE "
                + table.key().stream()
                        .map(column -> SqlText.identifier(column.name()) + " = ?")
                        .collect(Collectors.joining(" AND "));
    }
}
