package io.shardwright.client.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.routing.Acknowledgement;
import io.shardwright.routing.AcknowledgementCodec;
import io.shardwright.routing.KeyLoad;
import io.shardwright.routing.Latencies;
import io.shardwright.routing.LoadReport;
import io.shardwright.routing.Role;
import io.shardwright.routing.ShardLoad;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LoadMeterTest {
    private static final long MILLISECOND = Duration.ofMillis(1).toNanos();

    private final AtomicLong nanos = new AtomicLong(-5);
    private final LoadMeter meter = new LoadMeter(nanos::get);

    private void count(String shard, String key, int times, long took) {
        for (int i = 0; i < times; i++) {
            meter.count(shard, key, took);
        }
    }

    private LoadReport after(Duration time) {
        nanos.addAndGet(time.toNanos());
        return meter.newest();
    }

    private LoadReport nextSlice() {
        return after(Duration.ofSeconds(10));
    }

    @Test
    void aSliceHasTheRequestsOfEachShardAndItsHottestKeys() {
        count("ds-0", "42", 30, MILLISECOND);
        count("ds-0", "7", 10, MILLISECOND);
        count("ds-1", "8", 50, MILLISECOND);

        assertThat(nextSlice())
                .isEqualTo(new LoadReport(
                        1,
                        10_000,
                        List.of(
                                load("ds-1", 50, 50, new KeyLoad("8", 50, 50)),
                                load("ds-0", 40, 40, new KeyLoad("42", 30, 30), new KeyLoad("7", 10, 10)))));
    }

    private static ShardLoad load(String shard, long requests, long neighbours, KeyLoad... hottest) {
        Latencies latencies = new Latencies(Map.of(Latencies.bucketOf(1_000), neighbours));
        return new ShardLoad(shard, requests, List.of(hottest), latencies);
    }

    @Test
    void everyAcknowledgementCarriesTheNewestSliceUntilTheNextOneCloses() {
        assertThat(after(Duration.ofMillis(8_999))).as("none has closed").isNull();
        LoadReport first = after(Duration.ofMillis(1));
        assertThat(first.slice()).isEqualTo(1);
        assertThat(first.millis()).isEqualTo(9_000);

        count("ds-0", "42", 1, MILLISECOND);
        assertThat(after(Duration.ofSeconds(1))).isSameAs(first);
        LoadReport second = after(Duration.ofSeconds(11));

        assertThat(second.slice()).isEqualTo(2);
        assertThat(second.millis()).isEqualTo(12_000);
        assertThat(second.shards()).hasSize(1);
    }

    @Test
    void aSliceInWhichNothingWasAskedIsOneToo() {
        assertThat(nextSlice()).isEqualTo(new LoadReport(1, 10_000, List.of()));
        assertThat(nextSlice()).isEqualTo(new LoadReport(2, 10_000, List.of()));
    }

    @Test
    void aSliceThatNobodyHasHeardOfIsDropped() {
        count("ds-0", "42", 1_000, MILLISECOND);
        nextSlice();
        count("ds-0", "7", 1, MILLISECOND);

        assertThat(nextSlice().shards()).containsExactly(load("ds-0", 1, 1, new KeyLoad("7", 1, 1)));
    }

    @Test
    void aNewBootBeginsWithTheFirstSlice() {
        nextSlice();
        nextSlice();
        LoadMeter rebooted = new LoadMeter(nanos::get);

        nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        assertThat(rebooted.newest().slice()).isEqualTo(1);
        assertThat(meter.newest().slice()).isEqualTo(3);
    }

    @Test
    void requestsOfAKeyThatWasHotInTheSliceBeforeAreNotThoseOfANeighbour() {
        count("ds-0", "hot", 5, 50 * MILLISECOND);
        IntStream.range(0, 95).forEach(key -> meter.count("ds-0", "k" + key, MILLISECOND));
        assertThat(nextSlice().shards().get(0).neighbours().total())
                .as("nothing is known yet")
                .isEqualTo(100);

        count("ds-0", "hot", 5, 50 * MILLISECOND);
        count("ds-1", "hot", 3, MILLISECOND);
        IntStream.range(0, 96).forEach(key -> meter.count("ds-0", "k" + key, MILLISECOND));
        List<ShardLoad> second = nextSlice().shards();

        assertThat(second.get(0).requests()).isEqualTo(101);
        assertThat(second.get(0).neighbours().total()).isEqualTo(96);
        assertThat(second.get(0).neighbours().quantile(1)).contains(Latencies.endOf(Latencies.bucketOf(1_000)));
        assertThat(second.get(1).neighbours().total()).as("hot elsewhere").isEqualTo(3);

        count("ds-0", "hot", 1, 50 * MILLISECOND); // 5 of 101 were less than a twentieth
        assertThat(nextSlice().shards().get(0).neighbours().total()).isEqualTo(1);
    }

    @Test
    void keysBelowOneHundredthAreNotListed() {
        count("ds-0", "hot", 100, MILLISECOND);
        count("ds-0", "hundredth", 2, MILLISECOND);
        IntStream.range(0, 98).forEach(key -> meter.count("ds-0", "k" + key, MILLISECOND));

        assertThat(nextSlice().shards().get(0).hottest())
                .containsExactly(new KeyLoad("hot", 100, 100), new KeyLoad("hundredth", 2, 2));
    }

    @Test
    void atMostThirtyTwoKeysAreListedOfAShard() {
        IntStream.range(10, 50).forEach(key -> count("ds-0", "k" + key, key, MILLISECOND));

        List<KeyLoad> hottest = nextSlice().shards().get(0).hottest();

        assertThat(hottest).hasSize(32);
        assertThat(hottest.get(0)).isEqualTo(new KeyLoad("k49", 49, 49));
        assertThat(hottest.get(31)).isEqualTo(new KeyLoad("k18", 18, 18));
    }

    @Test
    void aKeyThatIsTooLongToBePinnedIsARequestLikeOthersButIsNotListed() {
        count("ds-0", "k".repeat(129), 3, MILLISECOND);
        count("ds-0", "k".repeat(128), 2, MILLISECOND);

        ShardLoad load = nextSlice().shards().get(0);

        assertThat(load.requests()).isEqualTo(5);
        assertThat(load.hottest()).containsExactly(new KeyLoad("k".repeat(128), 2, 2));
    }

    @Test
    void theBusiestShardsAreReportedAsFarAsThereIsRoom() {
        for (int shard = 0; shard < 40; shard++) {
            for (int key = 0; key < 20; key++) {
                count("ds-" + shard, "\u00e9".repeat(100) + key, 1 + shard, MILLISECOND);
            }
        }

        LoadReport report = nextSlice();

        assertThat(report.shards()).hasSizeBetween(5, 15);
        assertThat(report.shards().get(0).shard()).isEqualTo("ds-39");
        Acknowledgement ack =
                new Acknowledgement("uid", "b", "p", Role.WEB, 1, "0", 1, 1, 1, 1, "", null, "java", report);
        assertThat(AcknowledgementCodec.encode(ack).getBytes(StandardCharsets.UTF_8))
                .hasSizeLessThan(50 * 1024);
        assertThat(AcknowledgementCodec.decode(AcknowledgementCodec.encode(ack)))
                .isEqualTo(ack);
    }

    @Test
    void stripingUnderThreadsLosesNothing() throws InterruptedException {
        int threads = 24;
        int each = 5_000;
        CountDownLatch done = new CountDownLatch(threads);
        for (int thread = 0; thread < threads; thread++) {
            Random random = new Random(thread);
            new Thread(() -> {
                        for (int i = 0; i < each; i++) {
                            String key = random.nextInt(4) == 0 ? "hot" : "k" + random.nextInt(2_000);
                            meter.count("ds-0", key, MILLISECOND);
                        }
                        done.countDown();
                    })
                    .start();
        }
        List<LoadReport> slices = new ArrayList<>();
        while (done.getCount() > 0) {
            slices.add(nextSlice());
            Thread.onSpinWait();
        }
        slices.add(nextSlice());

        assertThat(slices.stream()
                        .flatMap(slice -> slice.shards().stream())
                        .mapToLong(ShardLoad::requests)
                        .sum())
                .isEqualTo((long) threads * each);
    }

    /** CT37: Zipf 1.1, 20,000 keys, a million events. */
    @Test
    void theTenHottestOfTwentyThousandKeysAreFoundAndNoOther() throws InterruptedException {
        double[] sums = new double[20_000];
        double sum = 0;
        for (int rank = 0; rank < sums.length; rank++) {
            sum += Math.pow(rank + 1, -1.1);
            sums[rank] = sum;
        }
        Map<String, Long> exact = new HashMap<>();
        Random random = new Random(37);
        List<String> events = new ArrayList<>();
        for (int event = 0; event < 1_000_000; event++) {
            int found = Arrays.binarySearch(sums, random.nextDouble() * sum);
            String key = Integer.toString(found < 0 ? -found - 1 : found);
            exact.merge(key, 1L, Long::sum);
            events.add(key);
        }
        List<Thread> threads = IntStream.range(0, 4)
                .mapToObj(part -> new Thread(() -> {
                    for (int i = part; i < events.size(); i += 4) {
                        meter.count("ds-0", events.get(i), MILLISECOND);
                    }
                }))
                .toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        List<KeyLoad> hottest = nextSlice().shards().get(0).hottest();

        assertThat(hottest.subList(0, 10).stream().map(KeyLoad::key))
                .containsExactlyInAnyOrderElementsOf(exact.entrySet().stream()
                        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                        .limit(10)
                        .map(Map.Entry::getKey)
                        .toList());
        for (KeyLoad key : hottest) {
            assertThat(exact.get(key.key())).isBetween(key.atLeast(), key.atMost());
            assertThat(key.atMost() - key.atLeast()).isLessThanOrEqualTo(3_400);
        }
    }
}
