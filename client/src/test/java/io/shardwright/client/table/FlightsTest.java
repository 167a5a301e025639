package io.shardwright.client.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.client.load.LoadMeter;
import io.shardwright.client.pools.PoolSet;
import io.shardwright.routing.Acknowledgement;
import io.shardwright.routing.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** T4 and T5: what is acknowledged while work is in flight. */
class FlightsTest {
    private final RouteTable table = new RouteTable();
    private final AtomicInteger landed = new AtomicInteger();
    private final Flights flights = new Flights(table::require, landed::incrementAndGet);
    private final TableIntake intake = new TableIntake(
            "orders",
            "app",
            table,
            new PoolSet(target -> {
                throw new AssertionError("no table here has a handover");
            }),
            null,
            () -> {});
    private final Acknowledged acknowledged =
            new Acknowledged("uid", "pod", "p0", Role.WEB, table, flights, intake, new LoadMeter(() -> 0));

    private void offer(long revision) {
        intake.offer(Tables.document(revision), "test");
    }

    @Test
    void nothingIsAcknowledgedBeforeTheFirstTable() {
        Acknowledgement ack = acknowledged.get();
        assertThat(ack.appliedRevision()).isZero();
        assertThat(ack.digest()).isEmpty();
    }

    @Test
    void aTransactionThatPinsFiveHoldsFiveWhileSixToTwentyArrive() {
        offer(5);
        Flights.Flight flight = flights.begin();
        for (long revision = 6; revision <= 20; revision++) {
            offer(revision);
        }
        assertThat(acknowledged.get().appliedRevision()).isEqualTo(20);
        assertThat(acknowledged.get().inFlightOldest()).isEqualTo(5);
        assertThat(flight.view().order().revision()).as("the pinned table").isEqualTo(5);

        flight.close();

        assertThat(acknowledged.get().inFlightOldest()).isEqualTo(20);
        assertThat(landed).as("the end of old work is worth an acknowledgement").hasValue(1);
    }

    @Test
    void workOfTheCurrentTableLandsWithoutAWord() {
        offer(5);
        flights.begin().close();
        assertThat(landed).hasValue(0);
    }

    @Test
    void workOfAnotherIncarnationCountsAsRevisionZero() {
        offer(5);
        Flights.Flight flight = flights.begin();
        intake.offer(Tables.document(2, 1, List.of()), "test");
        assertThat(acknowledged.get().appliedRevision()).isEqualTo(1);
        assertThat(acknowledged.get().inFlightOldest()).isZero();
        flight.close();
    }

    @Test
    void sequenceNumbersGrowAndTheBootStays() {
        Acknowledgement first = acknowledged.get();
        Acknowledgement second = acknowledged.get();
        assertThat(second.sequence()).isEqualTo(first.sequence() + 1);
        assertThat(second.boot()).isEqualTo(first.boot());
    }

    /** The table is swapped, and acknowledged, between the moment a thread reads it and the moment it registers. */
    @Test
    void aSwapBetweenReadingAndRegisteringMovesTheFlightToTheNewTable() {
        offer(5);
        AtomicBoolean first = new AtomicBoolean(true);
        List<Long> promised = new ArrayList<>();
        List<Flights> raced = new ArrayList<>();
        raced.add(new Flights(
                () -> {
                    RouteView read = table.require();
                    if (first.getAndSet(false)) {
                        offer(6);
                        promised.add(
                                raced.get(0).oldest(table.require().order()).revision());
                    }
                    return read;
                },
                () -> {}));

        Flights.Flight flight = raced.get(0).begin();

        assertThat(promised).as("acknowledged meanwhile").containsExactly(6L);
        assertThat(flight.view().order().revision()).isEqualTo(6);
    }

    /** Real threads: while a flight is open, nothing above its table is acknowledged. */
    @Test
    void noAcknowledgementRunsAheadOfAPinUnderSwaps() throws InterruptedException {
        offer(1);
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong violations = new AtomicLong();
        AtomicLong promised = new AtomicLong();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            workers.add(new Thread(() -> {
                while (!stop.get()) {
                    try (Flights.Flight flight = flights.begin()) {
                        if (flight.view().order().revision() < promised.get()) {
                            violations.incrementAndGet();
                        }
                    }
                }
            }));
        }
        workers.forEach(Thread::start);
        for (long revision = 2; revision < 2_000; revision++) {
            table.swap(Tables.table(1, revision, List.of()), "digest");
            promised.set(acknowledged.get().inFlightOldest());
        }
        stop.set(true);
        for (Thread worker : workers) {
            worker.join();
        }
        assertThat(violations).hasValue(0);
    }
}
