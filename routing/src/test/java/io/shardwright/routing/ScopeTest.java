package io.shardwright.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ScopeTest {
    private static final Scope KEY = Scope.key("42", 17);

    @Test
    void theFenceNamesABucketByItsNumberAndAKeyByItsText() {
        assertThat(Scope.bucket(17).name()).isEqualTo("b:17");
        assertThat(KEY.name()).isEqualTo("k:42");
        assertThat(Scope.named("b:17", 17)).isEqualTo(Scope.bucket(17));
        assertThat(Scope.named("k:42", 17)).isEqualTo(KEY);
    }

    @Test
    void aKeyThatLooksLikeABucketIsAKey() {
        Scope odd = Scope.key("b:3", 17);

        assertThat(odd.name()).isEqualTo("k:b:3");
        assertThat(Scope.named(odd.name(), 17)).isEqualTo(odd).isNotEqualTo(Scope.bucket(3));
    }

    @Test
    void aKeyLiesInTheBucketOfItsHash() {
        ShardKey key = ShardKey.of(KeyType.INT64, 42);
        Bucketing bucketing = new Bucketing(HashFunction.MODULO, 100);

        assertThat(Scope.of(key, bucketing)).isEqualTo(Scope.key("42", 42));
        assertThat(Scope.of(key, bucketing).ofBucket()).isEqualTo(Scope.bucket(42));
    }

    @Test
    void bucketsAscendByNumberAndKeysFollowTheirBucket() {
        assertThat(new TreeSet<>(List.of(Scope.bucket(10), Scope.key("b", 9), Scope.bucket(9), Scope.key("a", 9))))
                .containsExactly(Scope.bucket(9), Scope.key("a", 9), Scope.key("b", 9), Scope.bucket(10));
        assertThat(Scope.bucketsOf(List.of(KEY, Scope.bucket(9)))).containsExactly(9, 17);
    }

    @Test
    void peopleReadWhatItIs() {
        assertThat(Scope.words(Scope.buckets(17, 3))).isEqualTo("buckets [3, 17]");
        assertThat(Scope.words(List.of(KEY))).isEqualTo("keys [42]");
        assertThat(Scope.bucket(3).words()).isEqualTo("bucket 3");
        assertThat(KEY.words()).isEqualTo("key 42");
    }

    @Test
    void aHiddenKeyIsTheSameKeyAndShowsItsHash() {
        assertThat(KEY.hidden()).isEqualTo(KEY).hasSameHashCodeAs(KEY);
        assertThat(KEY.hidden().name()).isEqualTo("k:42");
        assertThat(KEY.hidden()).hasToString("sha256:73475cb40a568e8da8a045ced110137e159f890ac4da883b6b17dc651b3a8049");
        assertThat(KEY).hasToString("42");
        assertThat(Scope.bucket(17).hidden()).hasToString("17");
    }
}
