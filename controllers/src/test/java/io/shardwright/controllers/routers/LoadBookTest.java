package io.shardwright.controllers.routers;

import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.planning.hotkeys.ProcessReports;
import io.shardwright.routing.Acknowledgement;
import io.shardwright.routing.KeyLoad;
import io.shardwright.routing.Latencies;
import io.shardwright.routing.LoadReport;
import io.shardwright.routing.Role;
import io.shardwright.routing.ShardLoad;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What routers report, as acknowledgements bring it; slices of ten seconds. */
class LoadBookTest {
    private static final ResourceID ORDERS = new ResourceID("orders", "shop");
    private static final Duration REACH = Duration.ofMinutes(8);

    private final AckStore store = new AckStore();
    private long sequence;

    @BeforeEach
    void somebodyAsksForIt() {
        store.loads().keep(ORDERS, REACH);
    }

    private static LoadReport slice(long number, int shards) {
        return new LoadReport(
                number,
                10_000,
                IntStream.range(0, shards)
                        .mapToObj(shard -> new ShardLoad(
                                "ds-" + shard,
                                100 + number,
                                List.of(new KeyLoad("42", 40, 41)),
                                new Latencies(Map.of(3, 90L, 120, 5L))))
                        .toList());
    }

    private void report(String instance, String boot, LoadReport load, int second) {
        store.accept("shop", "orders", ack(instance, boot, ++sequence, load), seconds(second));
    }

    private static Acknowledgement ack(String instance, String boot, long sequence, LoadReport load) {
        return new Acknowledgement(
                instance, boot, "web-0", Role.WEB, sequence, "p1", 1, 7, 7, 7, "d", null, "test", load);
    }

    private static long seconds(int seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }

    private List<ProcessReports> reports(int second) {
        return store.loads().reports(ORDERS, store.heard(ORDERS), seconds(second));
    }

    private static List<Long> slices(ProcessReports reports) {
        return reports.slices().stream().map(heard -> heard.report().slice()).toList();
    }

    @Test
    void aSliceComesBackAsItWasReportedWithItsAge() {
        report("a", "boot", slice(1, 2), 10);

        assertThat(reports(13))
                .containsExactly(new ProcessReports(
                        true, List.of(new ProcessReports.Heard(slice(1, 2), Duration.ofSeconds(3)))));
    }

    @Test
    void aSliceThatRidesOnSeveralAcknowledgementsIsTakenOnce() {
        report("a", "boot", slice(1, 1), 10);
        report("a", "boot", slice(1, 1), 15);
        report("a", "boot", slice(2, 1), 20);
        report("a", "boot", slice(1, 1), 21);
        report("a", "boot", null, 22);

        assertThat(slices(reports(22).getFirst())).containsExactly(1L, 2L);
    }

    @Test
    void anAcknowledgementThatIsDroppedReportsNothing() {
        report("a", "boot", slice(1, 1), 10);
        store.accept("shop", "orders", ack("a", "boot", sequence, slice(2, 1)), seconds(20));

        assertThat(slices(reports(22).getFirst())).containsExactly(1L);
    }

    @Test
    void aNewBootVoidsWhatTheOldOneReported() {
        report("a", "old", slice(8, 1), 10);
        report("a", "new", null, 20);
        assertThat(reports(21)).containsExactly(new ProcessReports(true, List.of()));

        report("a", "new", slice(1, 1), 30);
        assertThat(slices(reports(31).getFirst())).containsExactly(1L);
        assertThat(reports(31)).hasSize(1);
    }

    @Test
    void aProcessThatIsGoneCountsUntilItIsTooOld() {
        report("a", "boot", slice(1, 1), 10);
        report("b", "boot", slice(1, 1), 10);
        store.departed("shop", "a");

        assertThat(reports(11)).extracting(ProcessReports::live).containsExactlyInAnyOrder(true, false);
        assertThat(reports(10 + 8 * 60)).hasSize(2);
        assertThat(reports(11 + 8 * 60)).containsExactly(new ProcessReports(true, List.of()));
    }

    @Test
    void slicesOlderThanAnybodyLooksBackAreDropped() {
        report("a", "boot", slice(1, 1), 10);
        report("a", "boot", slice(2, 1), 20);

        assertThat(slices(reports(11 + 8 * 60).getFirst())).containsExactly(2L);
    }

    @Test
    void nothingIsKeptThatNobodyAsksFor() {
        store.loads().forget(ORDERS);
        report("a", "boot", slice(1, 1), 10);
        assertThat(reports(11)).isEmpty();

        store.loads().keep(ORDERS, REACH);
        assertThat(reports(11)).containsExactly(new ProcessReports(true, List.of()));
        report("a", "boot", slice(2, 1), 20);
        store.forget(ORDERS);
        assertThat(reports(21)).isEmpty();
    }

    @Test
    void whatDoesNotFitIsNotKeptAndThereIsRoomAgainWhenOldOnesGo() {
        int most = ClusterLoads.MOST_ROWS / 1_000;
        for (int number = 1; number <= most + 1; number++) {
            report("a", "boot", slice(number, 1_000), 10);
        }
        assertThat(slices(reports(11).getFirst())).hasSize(most).endsWith((long) most);

        report("a", "new", slice(1, 1_000), 20);
        report("b", "boot", slice(1, 1_000), 20);
        assertThat(reports(21)).allSatisfy(one -> assertThat(one.slices()).hasSize(1));
        report("b", "boot", slice(2, 1_000), 30 + 8 * 60);
        assertThat(reports(31 + 8 * 60))
                .filteredOn(one -> !one.slices().isEmpty())
                .hasSize(1);
    }
}
