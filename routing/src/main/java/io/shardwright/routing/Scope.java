package io.shardwright.routing;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What a fence row speaks of and a move carries: a bucket, or one key of a bucket that has a row of its own. The most specific
 * row decides. Ordered by bucket, the bucket itself before its keys.
 */
public final class Scope implements Comparable<Scope> {
    private static final String KEY = "k:";

    private final int bucket;
    private final String key;
    private final boolean hidden;

    /** @param key null for a bucket; @param hidden the key is not shown to people */
    private Scope(int bucket, String key, boolean hidden) {
        this.bucket = bucket;
        this.key = key;
        this.hidden = hidden;
    }

    public static Scope bucket(int bucket) {
        return new Scope(bucket, null, false);
    }

    /** @param key its canonical text; @param bucket the one in which it lies */
    public static Scope key(String key, int bucket) {
        return new Scope(bucket, Objects.requireNonNull(key), false);
    }

    /** @param name as in {@link #name()}; @param bucket the one that it is, or in which it lies */
    public static Scope named(String name, int bucket) {
        return name.startsWith(KEY) ? key(name.substring(KEY.length()), bucket) : bucket(bucket);
    }

    public static Scope of(ShardKey key, Bucketing bucketing) {
        return key(key.text(), bucketing.bucketOf(key));
    }

    public static SortedSet<Scope> buckets(Integer... buckets) {
        return buckets(List.of(buckets));
    }

    public static SortedSet<Scope> buckets(Collection<Integer> buckets) {
        SortedSet<Scope> scopes = new TreeSet<>();
        buckets.forEach(bucket -> scopes.add(bucket(bucket)));
        return scopes;
    }

    /** The buckets that the scopes are, or lie in. */
    public static SortedSet<Integer> bucketsOf(Collection<Scope> scopes) {
        SortedSet<Integer> buckets = new TreeSet<>();
        scopes.forEach(scope -> buckets.add(scope.bucket));
        return buckets;
    }

    /** Scopes that belong together are all buckets or all keys; none at all are buckets. */
    public static boolean areKeys(Collection<Scope> scopes) {
        return scopes.stream().anyMatch(Scope::isKey);
    }

    /** For people: "buckets [3, 17]" or "keys [42]". */
    public static String words(Collection<Scope> scopes) {
        return (areKeys(scopes) ? "keys " : "buckets ") + new TreeSet<>(scopes);
    }

    /** For people: "bucket 17" or "key 42". */
    public String words() {
        return (isKey() ? "key " : "bucket ") + this;
    }

    /** The bucket that it is, or in which the key lies. */
    public int bucket() {
        return bucket;
    }

    /** Canonical text; empty for a bucket. */
    public Optional<String> key() {
        return Optional.ofNullable(key);
    }

    public boolean isKey() {
        return key != null;
    }

    /** The bucket as a scope of its own. */
    public Scope ofBucket() {
        return isKey() ? bucket(bucket) : this;
    }

    /** The same; people read the SHA-256 of a key instead of the key. */
    public Scope hidden() {
        return new Scope(bucket, key, true);
    }

    /** As the fence names it: {@code b:17}, {@code k:42}. */
    public String name() {
        return isKey() ? KEY + key : "b:" + bucket;
    }

    @Override
    public int compareTo(Scope other) {
        if (bucket != other.bucket) {
            return Integer.compare(bucket, other.bucket);
        }
        return isKey() && other.isKey() ? key.compareTo(other.key) : Boolean.compare(isKey(), other.isKey());
    }

    /** How it is shown makes no difference. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Scope scope && bucket == scope.bucket && Objects.equals(key, scope.key);
    }

    @Override
    public int hashCode() {
        return 31 * bucket + Objects.hashCode(key);
    }

    /** For people: the number of a bucket, the text of a key or its hash. */
    @Override
    public String toString() {
        if (!isKey()) {
            return Integer.toString(bucket);
        }
        return hidden ? "sha256:" + HexFormat.of().formatHex(sha256(key)) : key;
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
