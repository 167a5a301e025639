package io.shardwright.planning.placement;

import io.shardwright.routing.Scope;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The hash that people approve: SHA-256, in lower-case hex, of a canonical text of the plan's inputs.
 *
 * <p>The text, in UTF-8, has one line per fact, each ended by a line feed:
 *
 * <pre>
 * shardwright plan 1
 * cluster orders
 * shard ds-0 General 100          (one for each shard, by name)
 * owners ds-0*50,ds-1*50          (run-length, in bucket order)
 * pin 42 ds-hot                   (one for each pin, by key; backslash, line feed and carriage return in a key are
 *                                  written as \\, \n and \r)
 * pinned 42 ds-hot                (one for each key that has a shard of its own now, in the same way)
 * </pre>
 *
 * Sizes, loads, timings and the tolerance are not in it: they order, predict and trigger, and an approval must not become
 * void because a disk grew.
 */
public final class PlanHash {
    private PlanHash() {}

    public static String of(PlanInputs inputs) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(canonicalText(inputs).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    static String canonicalText(PlanInputs inputs) {
        StringBuilder text = new StringBuilder("shardwright plan 1\n");
        text.append("cluster ").append(inputs.cluster()).append('\n');
        inputs.shards()
                .forEach((name, shard) -> text.append("shard ")
                        .append(name)
                        .append(' ')
                        .append(shard.role().wire())
                        .append(' ')
                        .append(shard.weight())
                        .append('\n'));
        text.append("owners ").append(inputs.owners().encode()).append('\n');
        append(text, "pin ", inputs.pins());
        append(text, "pinned ", inputs.pinned());
        return text.toString();
    }

    private static void append(StringBuilder text, String word, SortedMap<Scope, String> pins) {
        SortedMap<String, String> byKey = new TreeMap<>();
        pins.forEach((key, shard) -> byKey.put(key.key().orElseThrow(), shard));
        byKey.forEach((key, shard) ->
                text.append(word).append(escaped(key)).append(' ').append(shard).append('\n'));
    }

    /** Keys are free text; without this a key with a line feed could pretend to be another line. */
    private static String escaped(String key) {
        return key.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
    }
}
