package io.shardwright.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.servers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The databases compute the same buckets, by the expressions of the routing contract. */
class GoldenVectorsIT {
    private static PostgresServer server;
    private static Connection connection;

    @BeforeAll
    static void startServer() throws SQLException {
        server = PostgresServer.builder().name("golden").start();
        connection = server.connect("postgres");
    }

    @AfterAll
    static void stopServer() throws SQLException {
        try (PostgresServer ending = server) {
            connection.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void postgresPutsEveryKeyIntoTheBucketThatTheContractSays(GoldenVectors vectors) throws SQLException {
        List<String> wrong = new ArrayList<>();
        int checked = 0;
        for (GoldenVectors.Vector vector : vectors.read()) {
            for (int size : GoldenVectors.SIZES) {
                int bucket = ask(vectors, vector.given(), size);
                if (bucket != vector.buckets().get(size)) {
                    wrong.add(vector.given() + " of " + size + ": " + bucket);
                }
                checked++;
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(checked).isGreaterThanOrEqualTo(3_000);
    }

    /** The key as the application gave it goes through its column type first, as in a table. */
    private static int ask(GoldenVectors vectors, String given, int size) throws SQLException {
        String text = "(?::" + columnType(vectors.keyType) + ")::text";
        String bucket = switch (vectors.hash) {
            case MD5 -> "(('x' || substr(md5(" + text + "), 1, 8))::bit(32)::bigint) % ?";
            case MODULO -> "mod(mod(" + text + "::numeric, ?) + " + size + ", " + size + ")";
        };
        try (PreparedStatement query = connection.prepareStatement("SELECT " + bucket)) {
            query.setString(1, given);
            query.setInt(2, size);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    private static String columnType(KeyType type) {
        return switch (type) {
            case INT64 -> "bigint";
            case STRING -> "text";
            case UUID -> "uuid";
        };
    }
}
