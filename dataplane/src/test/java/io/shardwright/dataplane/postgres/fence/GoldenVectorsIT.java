package io.shardwright.dataplane.postgres.fence;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.SqlText;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.HashFunction;
import io.shardwright.servers.PostgresServer;
import io.shardwright.servers.PostgresServer.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * F6: the databases and {@code routing} put every golden key into the same bucket: as the application gave it, through the type
 * of its column, by our expression and by the one of the routing contract.
 */
@ParameterizedClass(name = "PostgreSQL {0}")
@EnumSource(Version.class)
class GoldenVectorsIT {
    private static final int[] BUCKETS = {100, 1024, 65_536};

    @Parameter
    Version version;

    @ParameterizedTest(name = "{0}")
    @CsvSource({"int64-md5, MD5, bigint", "string-md5, MD5, text", "uuid-md5, MD5, uuid", "int64-modulo, MODULO, bigint"
    })
    void theDatabaseAgreesWithEveryVector(String file, HashFunction hash, String column)
            throws IOException, SQLException {
        List<String> keys = new ArrayList<>();
        List<List<Integer>> expected = new ArrayList<>();
        for (String line :
                Files.readAllLines(Path.of("..", "routing", "src", "test", "resources", "golden", file + ".tsv"))) {
            if (!line.startsWith("#")) {
                String[] columns = line.split("\t", -1);
                keys.add(columns[0]);
                expected.add(
                        List.of(Integer.valueOf(columns[2]), Integer.valueOf(columns[3]), Integer.valueOf(columns[4])));
            }
        }

        assertThat(bucketsInDatabase(
                        keys, column, buckets -> SqlText.bucketExpression(new Bucketing(hash, buckets), "key")))
                .isEqualTo(expected);
        assertThat(bucketsInDatabase(keys, column, buckets -> contractExpression(hash, buckets)))
                .isEqualTo(expected);
        assertThat(keys).hasSizeGreaterThan(1_000);
    }

    /** As routers in other languages are told to write it. */
    private static String contractExpression(HashFunction hash, int buckets) {
        return switch (hash) {
            case MD5 -> "(('x' || substr(md5(key), 1, 8))::bit(32)::bigint) % " + buckets;
            case MODULO -> "mod(mod(key::numeric, %1$d) + %1$d, %1$d)".formatted(buckets);
        };
    }

    /** @param keys as JSON strings, read by the server */
    private List<List<Integer>> bucketsInDatabase(List<String> keys, String column, IntFunction<String> expression)
            throws SQLException {
        String columns = "";
        for (int buckets : BUCKETS) {
            columns += ", " + expression.apply(buckets);
        }
        PostgresServer server = SharedServers.of(version);
        List<List<Integer>> found = new ArrayList<>();
        try (Connection connection = server.connect("postgres");
                PreparedStatement statement = connection.prepareStatement("SELECT nth" + columns
                        + " FROM (SELECT ((quoted::jsonb #>> '{}')::" + column + ")::text AS key, nth"
                        + " FROM unnest(?::text[]) WITH ORDINALITY AS k (quoted, nth)) vector ORDER BY nth")) {
            statement.setArray(1, connection.createArrayOf("text", keys.toArray()));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    found.add(List.of(row.getInt(2), row.getInt(3), row.getInt(4)));
                }
            }
        }
        return found;
    }
}
