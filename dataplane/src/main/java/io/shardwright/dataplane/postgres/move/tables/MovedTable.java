package io.shardwright.dataplane.postgres.move.tables;

import io.shardwright.dataplane.postgres.SqlText;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The shape of one sharded table, read from the source when a move prepares, and the pieces of SQL that follow from it.
 * Generated columns are left out everywhere: each server computes its own.
 *
 * @param apart keys whose rows do not travel with their bucket
 * @param columns in the order of the source, which is also the order of the stream
 */
public record MovedTable(String schema, String name, String shardKey, List<Column> columns, SortedSet<String> apart) {
    /** The first object id of a user's own; types below mean the same on every server. */
    private static final int FIRST_USER_OID = 16_384;

    /**
     * @param keyPosition place in the primary key from 1, 0 = not part of it
     * @param alwaysIdentity GENERATED ALWAYS AS IDENTITY
     */
    public record Column(String name, int typeOid, int typeModifier, int keyPosition, boolean alwaysIdentity) {
        public boolean inKey() {
            return keyPosition > 0;
        }

        String quoted() {
            return SqlText.identifier(name);
        }
    }

    private static final String COLUMNS = """
        SELECT a.attname, a.atttypid::int, a.atttypmod, COALESCE(array_position(i.indkey::int2[], a.attnum), -1) + 1,
               a.attidentity = 'a'
        FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
        WHERE a.attrelid = to_regclass(?) AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        ORDER BY a.attnum\
        """;

    public static MovedTable read(Connection connection, String schema, String name, String shardKey)
            throws SQLException {
        return read(connection, schema, name, shardKey, new TreeSet<>());
    }

    static MovedTable read(Connection connection, String schema, String name, String shardKey, SortedSet<String> apart)
            throws SQLException {
        List<Column> columns = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(COLUMNS)) {
            statement.setString(1, SqlText.identifier(schema) + "." + SqlText.identifier(name));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    columns.add(new Column(
                            row.getString(1), row.getInt(2), row.getInt(3), row.getInt(4), row.getBoolean(5)));
                }
            }
        }
        return new MovedTable(schema, name, shardKey, List.copyOf(columns), apart);
    }

    public List<Column> key() {
        return columns.stream()
                .filter(Column::inKey)
                .sorted(Comparator.comparingInt(Column::keyPosition))
                .toList();
    }

    public String sql() {
        return SqlText.identifier(schema) + "." + SqlText.identifier(name);
    }

    public String qualifiedName() {
        return schema + "." + name;
    }

    public String columnList() {
        return list(columns, Column::quoted);
    }

    public String keyList() {
        return list(key(), Column::quoted);
    }

    /** Each column of the key through a function, comma separated, in the order of the key. */
    public String keyList(UnaryOperator<String> each) {
        return list(key(), column -> each.apply(column.quoted()));
    }

    private static String list(List<Column> columns, java.util.function.Function<Column, String> text) {
        return columns.stream().map(text).collect(Collectors.joining(", "));
    }

    /** A condition that is true for the rows of these scopes, which are all buckets or all keys, and not for those of keys apart. */
    public String in(Collection<Scope> scopes) {
        String rows = SqlText.inScopes(shardKey, scopes);
        return apart.isEmpty() ? rows : rows + " AND NOT " + SqlText.oneOf(shardKeyText(), apart);
    }

    /** What the fence names the scope of a row, where such scopes are asked for. */
    public String scopeName(Collection<Scope> scopes) {
        return Scope.areKeys(scopes) ? "'k:' || " + shardKeyText() : "'b:' || " + bucket();
    }

    /** The bucket of a row. */
    public String bucket() {
        return SqlText.bucketOf(shardKey);
    }

    /** The shard key as text. */
    public String shardKeyText() {
        return SqlText.identifier(shardKey) + "::text";
    }

    /** COPY BINARY carries object ids of user types, which differ between servers. */
    public boolean builtInTypesOnly() {
        return columns.stream().allMatch(column -> column.typeOid() < FIRST_USER_OID && column.typeOid() > 0);
    }
}
