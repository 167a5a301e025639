package io.shardwright.planning.hotkeys;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.hotkeys.ProcessReports.Heard;
import io.shardwright.routing.KeyLoad;
import io.shardwright.routing.Latencies;
import io.shardwright.routing.LoadReport;
import io.shardwright.routing.ShardLoad;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Slices of ten seconds, and a window of a minute. */
class LoadWindowTest {
    private static final Duration WINDOW = Duration.ofMinutes(1);

    private static ShardLoad load(long requests, KeyLoad... keys) {
        return new ShardLoad("ds-0", requests, List.of(keys), new Latencies(Map.of(5, requests)));
    }

    private static LoadReport slice(long number, ShardLoad... loads) {
        return new LoadReport(number, 10_000, List.of(loads));
    }

    /** Slices from one number to another, the last heard so many seconds ago; each of a hundred requests, forty for key 42. */
    private static List<Heard> slices(int from, int to, int secondsAgo) {
        List<Heard> heard = new ArrayList<>();
        for (int number = from; number <= to; number++) {
            heard.add(new Heard(
                    slice(number, load(100, new KeyLoad("42", 40, 41))),
                    Duration.ofSeconds(secondsAgo + 10L * (to - number))));
        }
        return heard;
    }

    private static ProcessReports live(List<Heard> slices) {
        return new ProcessReports(true, slices);
    }

    private static LoadWindow window(ProcessReports... processes) {
        return LoadWindow.of(List.of(processes), WINDOW);
    }

    @Test
    void boundsOfTheNewestSlicesAddUpOverAllProcesses() {
        LoadWindow load = window(live(slices(11, 20, 1)), live(slices(3, 8, 5)));

        assertThat(load.covered()).isTrue();
        assertThat(load.shard("ds-0").requests()).isEqualTo(1_200);
        assertThat(load.shard("ds-0").atLeast("42")).isEqualTo(480);
        assertThat(load.shard("ds-0").atMost("42")).isEqualTo(492);
        assertThat(load.shard("ds-0").neighbours().total()).isEqualTo(1_200);
        assertThat(load.shard("ds-9").requests()).isZero();
    }

    @Test
    void aProcessWithLessThanAWindowCoversNothing() {
        assertThat(window(live(slices(11, 15, 1))).covered()).isFalse();
        assertThat(window(live(slices(11, 16, 1))).covered()).isTrue();
        assertThat(window(live(slices(11, 20, 1)), live(slices(11, 15, 1))).covered())
                .isFalse();
        assertThat(window(live(slices(11, 20, 1)), live(List.of())).covered())
                .as("a router that reports nothing asks nobody knows what")
                .isFalse();
        assertThat(window().covered()).isFalse();
    }

    @Test
    void aProcessThatIsKnownFromItsStartHasAskedNothingBefore() {
        assertThat(window(live(slices(11, 20, 1)), live(slices(1, 2, 1))).covered())
                .isTrue();
        assertThat(window(live(slices(11, 20, 1)), live(slices(2, 3, 1))).covered())
                .isFalse();
        assertThat(window(live(slices(1, 2, 1))).covered())
                .as("somebody must have been there for the whole window")
                .isFalse();
    }

    @Test
    void aSilentProcessProvesNothing() {
        assertThat(window(live(slices(11, 20, 30))).covered()).isTrue();
        assertThat(window(live(slices(11, 20, 31))).covered()).isFalse();
        assertThat(window(live(slices(11, 20, 1)), live(slices(1, 2, 31))).covered())
                .isFalse();
    }

    @Test
    void aLostSliceIsMadeUpForByAnOlderOne() {
        List<Heard> gap = slices(1, 20, 1);
        gap.removeIf(heard -> heard.report().slice() == 17);
        List<Heard> hole = slices(1, 20, 1);
        hole.removeIf(heard -> heard.report().slice() < 19 && heard.report().slice() > 8);

        assertThat(window(live(gap)).covered()).isTrue();
        assertThat(window(live(gap)).shard("ds-0").requests()).isEqualTo(600);
        assertThat(window(live(hole)).covered())
                .as("older ones are not the newest window")
                .isFalse();
    }

    @Test
    void whatAProcessThatIsGoneDidCountsUntilItIsTooOld() {
        ProcessReports gone = new ProcessReports(false, slices(1, 3, 100));
        ProcessReports long_ = new ProcessReports(false, slices(1, 3, 121));

        assertThat(window(live(slices(11, 20, 1)), gone).covered()).isTrue();
        assertThat(window(live(slices(11, 20, 1)), gone).shard("ds-0").requests())
                .isEqualTo(900);
        assertThat(window(live(slices(11, 20, 1)), long_).shard("ds-0").requests())
                .isEqualTo(600);
        assertThat(window(gone, new ProcessReports(false, slices(11, 20, 1))).covered())
                .isFalse();
    }

    @Test
    void aKeyThatIsNotListedMayHaveHadOnePercentAndTheErrorOfTheSketch() {
        ShardWindow one = ShardWindow.of(List.of(load(1_000, new KeyLoad("42", 400, 405))));

        assertThat(one.atLeast("7")).isZero();
        assertThat(one.atMost("7")).isEqualTo(15);
        assertThat(ShardWindow.of(List.of(load(3))).atMost("7")).isZero();
        assertThat(ShardWindow.of(List.of(load(3, new KeyLoad("42", 0, 9)))).atMost("7"))
                .isEqualTo(3);
    }

    @Test
    void inAFullListItMayHaveHadAsMuchAsTheLastOne() {
        KeyLoad[] full = IntStream.range(0, ShardLoad.MAX_KEYS)
                .mapToObj(key -> new KeyLoad("k" + key, 100 - key, 102 - key))
                .toArray(KeyLoad[]::new);

        assertThat(ShardWindow.of(List.of(load(5_000, full))).atMost("7")).isEqualTo(69 + 2);
    }

    @Test
    void aKeyThatIsListedInOneSliceMayHaveBeenThereInTheOther() {
        ShardWindow both = ShardWindow.of(List.of(load(1_000, new KeyLoad("42", 400, 400)), load(1_000)));

        assertThat(both.atLeast("42")).isEqualTo(400);
        assertThat(both.atMost("42")).isEqualTo(410);
        assertThat(ShardWindow.of(List.of(load(100, new KeyLoad("42", 90, 200))))
                        .atMost("42"))
                .isEqualTo(100);
    }
}
