package io.shardwright.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GoldenVectorsTest {
    @ParameterizedTest
    @EnumSource
    void javaPutsEveryKeyIntoTheBucketThatTheContractSays(GoldenVectors vectors) {
        assertThat(vectors.read()).hasSizeGreaterThanOrEqualTo(1_000).allSatisfy(vector -> {
            ShardKey key = ShardKey.of(vectors.keyType, vector.given());
            Map<Integer, Integer> buckets = new HashMap<>();
            GoldenVectors.SIZES.forEach(size -> buckets.put(size, new Bucketing(vectors.hash, size).bucketOf(key)));
            assertThat(key.text()).isEqualTo(vector.canonical());
            assertThat(buckets).isEqualTo(vector.buckets());
        });
    }

    @ParameterizedTest
    @EnumSource
    void theVectorsReachEveryBucketOfAHundred(GoldenVectors vectors) {
        assertThat(vectors.read().stream()
                        .map(vector -> vector.buckets().get(100))
                        .distinct())
                .hasSize(100);
    }
}
