package io.shardwright.client.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class KeySketchTest {
    /** Of a few dozen keys, small numbers far more often than large ones. */
    @Provide
    Arbitrary<List<String>> requests() {
        return Arbitraries.integers()
                .between(1, 40)
                .map(n -> Integer.toString(n * n / 40))
                .list()
                .ofMaxSize(400);
    }

    private static Map<String, Long> exact(List<String> requests) {
        Map<String, Long> exact = new HashMap<>();
        requests.forEach(key -> exact.merge(key, 1L, Long::sum));
        return exact;
    }

    private static void assertBounds(Map<String, Long> sums, long missing, Map<String, Long> exact) {
        Set<String> all = new HashSet<>(exact.keySet());
        all.addAll(sums.keySet());
        for (String key : all) {
            long counted = sums.getOrDefault(key, 0L);
            assertThat(exact.getOrDefault(key, 0L)).as(key).isBetween(counted, counted + missing);
        }
    }

    @Property(tries = 500)
    void theTruthLiesBetweenTheBounds(
            @ForAll("requests") List<String> requests, @ForAll @IntRange(min = 1, max = 30) int capacity) {
        KeySketch sketch = new KeySketch(capacity);
        requests.forEach(sketch::add);

        Map<String, Long> sums = new HashMap<>();
        long missing = sketch.addTo(sums);

        assertThat(sums).hasSizeLessThanOrEqualTo(capacity);
        assertThat(missing * capacity).isLessThanOrEqualTo(2L * requests.size());
        assertBounds(sums, missing, exact(requests));
    }

    @Property(tries = 200)
    void boundsOfSeveralSketchesAddUp(
            @ForAll("requests") List<String> requests,
            @ForAll @IntRange(min = 1, max = 30) int capacity,
            @ForAll @IntRange(min = 1, max = 5) int sketches,
            @ForAll Random random) {
        KeySketch[] parts = new KeySketch[sketches];
        for (int i = 0; i < sketches; i++) {
            parts[i] = new KeySketch(capacity);
        }
        requests.forEach(key -> parts[random.nextInt(sketches)].add(key));

        Map<String, Long> sums = new HashMap<>();
        long missing = 0;
        for (KeySketch part : parts) {
            missing += part.addTo(sums);
        }

        assertBounds(sums, missing, exact(requests));
    }

    @Test
    void asLongAsThereIsRoomItIsExact() {
        KeySketch sketch = new KeySketch(KeySketch.CAPACITY);
        for (int round = 0; round < 3; round++) {
            for (int key = 0; key < KeySketch.CAPACITY; key++) {
                sketch.add("tenant-" + key);
            }
        }

        Map<String, Long> sums = new HashMap<>();
        assertThat(sketch.addTo(sums)).isZero();
        assertThat(sums).hasSize(KeySketch.CAPACITY);
        assertThat(sums.values()).containsOnly(3L);
    }

    @Test
    void keysWithOneHashAreToldApart() {
        List<String> colliding = List.of("AaAa", "AaBB", "BBAa", "BBBB"); // one hashCode
        KeySketch sketch = new KeySketch(3);
        for (String key : colliding.subList(0, 3)) {
            sketch.add(key);
            sketch.add(key);
        }
        sketch.add("AaAa");

        Map<String, Long> sums = new HashMap<>();
        assertThat(sketch.addTo(sums)).isZero();
        assertThat(sums).isEqualTo(Map.of("AaAa", 3L, "AaBB", 2L, "BBAa", 2L));
    }
}
