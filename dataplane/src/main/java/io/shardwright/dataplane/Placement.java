package io.shardwright.dataplane;

import java.util.List;
import java.util.Map;

/**
 * Where data lies on one shard.
 *
 * @param rowsPerBucket rows over all sharded tables; a bucket that is absent has none
 * @param exampleKeys up to ten keys per bucket, for messages
 * @param rowsPerModulo rows by {@code key mod buckets}, only for Int64 keys: lets a message say that Modulo would fit
 * @param referenceChecksums per reference table, equal on all shards
 * @param guarded every trigger of the fence stood before the first row was counted: what was written since has passed it
 */
public record Placement(
        String shard,
        Map<Integer, Long> rowsPerBucket,
        Map<Integer, List<String>> exampleKeys,
        Map<Integer, Long> rowsPerModulo,
        Map<String, String> referenceChecksums,
        boolean guarded) {}
