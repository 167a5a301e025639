package io.shardwright.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunLengthMapTest {
    @Test
    void aChangedBucketIsARunOfItsOwnAndTheMapBeforeStays() {
        RunLengthMap<String> before = RunLengthMap.filled(4, "ds-0");
        RunLengthMap<String> after = before.with(1, "ds-1");

        assertThat(after).hasToString("ds-0*1,ds-1*1,ds-0*2");
        assertThat(before).hasToString("ds-0*4");
        assertThat(after.with(1, "ds-0")).isEqualTo(before).hasSameHashCodeAs(before);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "ds-0           | a run is value*count",
                "*8             | a run is value*count",
                "``             | a run is value*count",
                "ds-0*8,        | a run is value*count",
                "ds-0*x         | a run's count is a number",
                "ds-0*0,ds-0*8  | an empty run",
                "ds-0*-1,ds-0*9 | an empty run",
                "ds-0*9         | the runs cover more than 8 buckets",
                "ds-0*8,ds-1*1  | the runs cover more than 8 buckets",
                "ds-0*4,ds-1*3  | the runs cover 7 of 8 buckets"
            })
    void refusesRunsThatAreNoneOrDoNotCoverEveryBucket(String text, String words) {
        assertThatThrownBy(() -> RunLengthMap.parse(text, 8, shard -> shard))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(words);
    }
}
