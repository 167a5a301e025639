package io.shardwright.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LatenciesTest {
    private static Latencies of(List<Long> micros) {
        Map<Integer, Long> counts = new TreeMap<>();
        micros.forEach(time -> counts.merge(Latencies.bucketOf(time), 1L, Long::sum));
        return new Latencies(counts);
    }

    private static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    @ParameterizedTest
    @CsvSource({"-1,0", "0,0", "100,0", "101,1", "110,1", "111,2", "121,2", "133,3", "134,4", "9223372036854775807,127"
    })
    void anEndBelongsToItsBucket(long micros, int bucket) {
        assertThat(Latencies.bucketOf(micros)).isEqualTo(bucket);
    }

    @Test
    void theLastBucketBeginsBehindFifteenSeconds() {
        long last = Latencies.endOf(Latencies.BUCKETS - 2).toNanos() / 1_000;

        assertThat(last).isBetween(15_000_000L, 16_000_000L);
        assertThat(Latencies.bucketOf(last)).isEqualTo(126);
        assertThat(Latencies.bucketOf(last + 1)).isEqualTo(127);
        assertThat(Latencies.endOf(127)).isEqualTo(Latencies.endOf(126));
    }

    @Test
    void aQuantileIsTheEndOfTheBucketThatHoldsIt() {
        Latencies twenty = new Latencies(Map.of(0, 10L, 1, 9L, 5, 1L));

        assertThat(twenty.total()).isEqualTo(20);
        assertThat(twenty.quantile(0.5)).contains(micros(100));
        assertThat(twenty.quantile(0.51)).contains(micros(110));
        assertThat(twenty.quantile(0.95)).contains(micros(110));
        assertThat(twenty.quantile(0.96)).contains(Latencies.endOf(5));
        assertThat(twenty.quantile(1)).contains(Latencies.endOf(5));
        assertThat(new Latencies(Map.of(3, 1L)).quantile(0.0001)).contains(micros(133));
    }

    @Test
    void nothingCountedHasNoQuantile() {
        assertThat(Latencies.NONE.quantile(0.95)).isEmpty();
        assertThat(Latencies.NONE.total()).isZero();
    }

    @Property(tries = 200)
    void aBucketIsAtMostATenthWide(@ForAll @LongRange(min = 101, max = 15_000_000) long micros) {
        int bucket = Latencies.bucketOf(micros);
        Duration time = micros(micros);

        assertThat(time).isLessThanOrEqualTo(Latencies.endOf(bucket)).isGreaterThan(Latencies.endOf(bucket - 1));
        assertThat(Latencies.endOf(bucket).toNanos() / (double) time.toNanos()).isLessThanOrEqualTo(1.1);
    }

    @Property(tries = 200)
    void countsOfSeveralProcessesAddUpToThoseOfAll(
            @ForAll @Size(max = 50) List<@LongRange(min = 0, max = 20_000_000) Long> some,
            @ForAll @Size(max = 50) List<@LongRange(min = 0, max = 20_000_000) Long> others) {
        Latencies sum = of(some).plus(of(others));

        assertThat(sum)
                .isEqualTo(of(Stream.concat(some.stream(), others.stream()).toList()));
        assertThat(sum.total()).isEqualTo(some.size() + others.size());
    }

    @Property(tries = 200)
    void aQuantileIsExceededByNoMoreThanTheRest(
            @ForAll @Size(min = 1, max = 100) List<@LongRange(min = 0, max = 15_000_000) Long> times) {
        Duration p95 = of(times).quantile(0.95).orElseThrow();

        long above =
                times.stream().filter(time -> micros(time).compareTo(p95) > 0).count();
        assertThat(above).isLessThanOrEqualTo((long) (times.size() * 0.05));
    }
}
