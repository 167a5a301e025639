package io.shardwright.routing;

import io.shardwright.routing.json.JsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The files of {@code golden/}, written by {@code src/test/scripts/golden_vectors.py}. */
enum GoldenVectors {
    INT64_MD5("int64-md5.tsv", KeyType.INT64, HashFunction.MD5),
    INT64_MODULO("int64-modulo.tsv", KeyType.INT64, HashFunction.MODULO),
    STRING_MD5("string-md5.tsv", KeyType.STRING, HashFunction.MD5),
    UUID_MD5("uuid-md5.tsv", KeyType.UUID, HashFunction.MD5);

    static final List<Integer> SIZES = List.of(100, 1024, 65_536);

    final KeyType keyType;
    final HashFunction hash;
    private final String file;

    GoldenVectors(String file, KeyType keyType, HashFunction hash) {
        this.file = file;
        this.keyType = keyType;
        this.hash = hash;
    }

    /** @param buckets expected bucket by number of buckets */
    record Vector(String given, String canonical, Map<Integer, Integer> buckets) {}

    List<Vector> read() {
        try (InputStream in = GoldenVectors.class.getResourceAsStream("/golden/" + file)) {
            String text = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
            return Arrays.stream(text.split("\n"))
                    .filter(line -> !line.startsWith("#"))
                    .map(GoldenVectors::vector)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Vector vector(String line) {
        String[] columns = line.split("\t");
        return new Vector(
                (String) JsonReader.read(columns[0]),
                (String) JsonReader.read(columns[1]),
                Map.of(
                        100, Integer.valueOf(columns[2]),
                        1024, Integer.valueOf(columns[3]),
                        65_536, Integer.valueOf(columns[4])));
    }
}
