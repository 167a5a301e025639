package io.shardwright.operator.access;

import io.shardwright.operator.ClusterKey;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The routers that were let in, by token and cluster; tokens themselves are not kept. Refusals are not remembered, so that
 * strangers cannot push routers out. Thread-safe.
 */
final class Admissions {
    private final Map<String, Remembered> newestLast;

    Admissions(int kept) {
        newestLast = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Remembered> eldest) {
                return size() > kept;
            }
        };
    }

    /** @param atNanos monotonic time of the review */
    record Remembered(Admission.Admitted admission, long atNanos) {}

    synchronized Optional<Remembered> of(String token, ClusterKey cluster) {
        return Optional.ofNullable(newestLast.get(key(token, cluster)));
    }

    synchronized void remember(String token, ClusterKey cluster, Admission.Admitted admission, long atNanos) {
        newestLast.put(key(token, cluster), new Remembered(admission, atNanos));
    }

    synchronized void forget(String token, ClusterKey cluster) {
        newestLast.remove(key(token, cluster));
    }

    private static String key(String token, ClusterKey cluster) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
            return cluster + " " + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
