package io.shardwright.dataplane.postgres.probe;

import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.ShardedSchema.Table;
import io.shardwright.dataplane.postgres.SqlText;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What two shards must have in common before rows move between them: columns with their types, constraints, unique indexes,
 * free of object ids and of names that do not matter.
 *
 * @param facts one per line, in a fixed order
 */
public record SchemaShape(List<String> facts) {
    public SchemaShape {
        facts = List.copyOf(facts);
    }

    public static SchemaShape read(Connection connection, ShardedSchema schema) throws SQLException {
        List<String> facts = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(SqlText.script("schema-shape.sql"))) {
            statement.setArray(1, ProblemQuery.column(connection, schema, Table::schema));
            statement.setArray(2, ProblemQuery.column(connection, schema, Table::name));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    facts.add(rows.getString(1));
                }
            }
        }
        return new SchemaShape(facts);
    }

    public static String hash(Connection connection, ShardedSchema schema) throws SQLException {
        return read(connection, schema).hash();
    }

    public String hash() {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(String.join("\n", facts).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** The first fact of this shape that the other one lacks, or the other way round; empty when both are equal. */
    public Optional<String> firstDifference(SchemaShape other) {
        Set<String> difference = new LinkedHashSet<>(facts);
        other.facts.forEach(difference::remove);
        if (!difference.isEmpty()) {
            return Optional.of(difference.iterator().next());
        }
        Set<String> reverse = new LinkedHashSet<>(other.facts);
        facts.forEach(reverse::remove);
        return reverse.stream().findFirst();
    }
}
