package io.shardwright.routing;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Key to bucket, fixed for the life of a cluster. The databases compute the same function in SQL (golden vectors).
 *
 * @param hash MD5, or Modulo for Int64 keys only
 * @param buckets 1..65536
 */
public record Bucketing(HashFunction hash, int buckets) {
    public static final int MAX_BUCKETS = 65_536;

    public Bucketing {
        if (buckets < 1 || buckets > MAX_BUCKETS) {
            throw new IllegalArgumentException("buckets must be 1.." + MAX_BUCKETS + ", not " + buckets);
        }
    }

    /** @throws UnroutableKeyException when hash is Modulo and the key is no Int64 */
    public int bucketOf(ShardKey key) {
        return (int) Math.floorMod(hashOf(key), (long) buckets);
    }

    /**
     * The number whose remainder by {@code buckets} is the bucket: 0 to 2^32 - 1 for MD5, the key itself for Modulo.
     *
     * @throws UnroutableKeyException when hash is Modulo and the key is no Int64
     */
    public long hashOf(ShardKey key) {
        return switch (hash) {
            case MD5 -> md5Prefix(key.text());
            case MODULO -> {
                if (key.type() != KeyType.INT64) {
                    throw new UnroutableKeyException("hash Modulo takes Int64 keys only");
                }
                yield Long.parseLong(key.text());
            }
        };
    }

    /** The first four bytes of the MD5 of the text, big-endian and unsigned; flags are sampled by the same function. */
    static long md5Prefix(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8));
            return (digest[0] & 0xffL) << 24
                    | (digest[1] & 0xffL) << 16
                    | (digest[2] & 0xffL) << 8
                    | (digest[3] & 0xffL);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has MD5", e);
        }
    }
}
