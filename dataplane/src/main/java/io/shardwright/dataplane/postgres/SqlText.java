package io.shardwright.dataplane.postgres;

import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.Scope;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;

/** SQL that is not a plain constant: shipped scripts, quoted names, the bucket function. */
public final class SqlText {
    private SqlText() {}

    /** @param name of a file in {@code shardwright/postgresql} */
    public static String script(String name) {
        String path = "/shardwright/postgresql/" + name;
        try (InputStream script = SqlText.class.getResourceAsStream(path)) {
            if (script == null) {
                throw new IllegalStateException(path + " is missing from the class path");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A script with its {@code ${..}} replaced; the values are SQL, so names must have been quoted. */
    public static String script(String name, Map<String, String> values) {
        String text = script(name);
        for (Map.Entry<String, String> value : values.entrySet()) {
            text = text.replace("${" + value.getKey() + "}", value.getValue());
        }
        return text;
    }

    /** A name of the database as an identifier, whatever characters it has. */
    public static String identifier(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /** A text as a constant, whatever characters it has. */
    public static String literal(String text) {
        return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
    }

    /**
     * A condition on rows: they belong to one of these scopes, which are all buckets or all keys. Keys are read as values of their
     * column's own type, so that an index finds them: a key may be a small part of a large table.
     *
     * @param shardKey its column
     */
    public static String inScopes(String shardKey, Collection<Scope> scopes) {
        return Scope.areKeys(scopes)
                ? identifier(shardKey) + " IN ("
                        + scopes.stream()
                                .map(scope -> literal(scope.key().orElseThrow()))
                                .collect(Collectors.joining(","))
                        + ")"
                : bucketOf(shardKey) + " = ANY ('{"
                        + Scope.bucketsOf(scopes).stream().map(String::valueOf).collect(Collectors.joining(","))
                        + "}'::int[])";
    }

    /** @param text SQL of type text */
    public static String oneOf(String text, Collection<String> texts) {
        return text + " = ANY (ARRAY[" + texts.stream().map(SqlText::literal).collect(Collectors.joining(","))
                + "]::text[])";
    }

    /** How many fence rows of keys the database has in a bucket. @param bucket SQL */
    public static String keyRowsOf(String bucket) {
        return "(SELECT count(*) FROM shardwright.fence k WHERE k.scope >= 'k:' AND k.scope < 'k;' AND k.bucket = "
                + bucket + ")";
    }

    /** The bucket of a row. @param shardKey its column */
    public static String bucketOf(String shardKey) {
        return "shardwright.bucket_of(" + identifier(shardKey) + "::text)";
    }

    /** Schema and name, quoted. */
    public static String table(ShardedSchema.Table table) {
        return identifier(table.schema()) + "." + identifier(table.name());
    }

    /** The bucket of a key as an SQL integer; the same function as {@link Bucketing#bucketOf}. @param key SQL of type text */
    public static String bucketExpression(Bucketing bucketing, String key) {
        int buckets = bucketing.buckets();
        return switch (bucketing.hash()) {
            case MD5 -> "((('x' || substr(md5(" + key + "), 1, 8))::bit(32)::bigint % " + buckets + ")::integer)";
            case MODULO -> moduloExpression(key, buckets);
        };
    }

    /** The non-negative remainder of an integer key. @param key SQL of type text */
    public static String moduloExpression(String key, int divisor) {
        return "(((" + key + "::bigint % " + divisor + ") + " + divisor + ")::bigint % " + divisor + ")::integer";
    }
}
