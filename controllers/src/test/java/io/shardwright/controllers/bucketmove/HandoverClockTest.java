package io.shardwright.controllers.bucketmove;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.table.TableEdits;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardEntry;
import io.shardwright.routing.ShardRole;
import io.shardwright.routing.TableOrder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HandoverClockTest {
    private static final SortedSet<Scope> MOVE = Scope.buckets(1, 2);

    private final AtomicLong now = new AtomicLong();
    private final HandoverClock clock = new HandoverClock(now::get);
    private RoutingTable table = new RoutingTable(
            new TableOrder(1, 10, 10),
            1,
            "orders",
            "PostgreSQL",
            KeyType.INT64,
            new Bucketing(HashFunction.MD5, 4),
            RunLengthMap.filled(4, "ds-0"),
            RunLengthMap.filled(4, 1L),
            new TreeMap<>(),
            List.of(),
            new TreeMap<>(Map.of(
                    "ds-0", new ShardEntry(ShardRole.GENERAL, "ds-0", 1),
                    "ds-1", new ShardEntry(ShardRole.GENERAL, "ds-1", 1))));

    private HandoverClock.Reading read() {
        return clock.read(table, MOVE, "ds-1");
    }

    private void publish(RoutingTable edited) {
        TableOrder order = edited.order();
        table = edited.withOrder(new TableOrder(order.incarnation(), order.revision() + 1, order.generation()));
    }

    private static SortedMap<Scope, Long> epochs(Integer... buckets) {
        SortedMap<Scope, Long> epochs = new TreeMap<>();
        List.of(buckets).forEach(bucket -> epochs.put(Scope.bucket(bucket), 2L));
        return epochs;
    }

    @Test
    void countsAcknowledgementsFromTheRevisionThatAddedTheLastBucket() {
        read();
        publish(TableEdits.announce(table, List.of(epochs(1), epochs(2)), "ds-1"));
        assertThat(read().announcedAt()).isEqualTo(11);
        publish(TableEdits.publishToWorkers(table, epochs(1), "ds-1"));
        assertThat(read().workersAt()).isEqualTo(12);
        publish(TableEdits.publishToWorkers(table, epochs(2), "ds-1"));

        HandoverClock.Reading reading = read();

        assertThat(reading.announcedAt()).isEqualTo(11);
        assertThat(reading.workersAt()).isEqualTo(13);
        assertThat(reading.view().visibleToWorkers()).isEqualTo(Scope.buckets(1, 2));
        assertThat(reading.view().visibleToWeb()).isEmpty();
    }

    @Test
    void aChangeForAnotherMoveLengthensNothing() {
        publish(TableEdits.announce(table, List.of(epochs(1, 2)), "ds-1"));
        read();
        now.set(Duration.ofSeconds(5).toNanos());
        publish(TableEdits.announce(table, List.of(epochs(3)), "ds-1"));

        HandoverClock.Reading reading = read();

        assertThat(reading.announcedAt()).isEqualTo(11);
        assertThat(reading.view().sinceChange()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void aNewLeaderBeginsWithTheRevisionThatItFindsAndWithNoTimePassed() {
        publish(TableEdits.fold(table, epochs(1, 2), "ds-1"));
        publish(TableEdits.announce(table, List.of(epochs(3)), "ds-1"));
        now.set(Duration.ofHours(9).toNanos());

        HandoverClock.Reading reading = read();

        assertThat(reading.view().folded()).isEqualTo(Scope.buckets(1, 2));
        assertThat(reading.foldedAt()).isEqualTo(12);
        assertThat(reading.view().sinceChange()).isZero();
    }

    @Test
    void revisionsOfAnotherIncarnationAreNotAskedForInThisOne() {
        publish(TableEdits.fold(table, epochs(1, 2), "ds-1"));
        assertThat(read().foldedAt()).isEqualTo(11);
        table = table.withOrder(new TableOrder(2, 4, 4));
        now.set(Duration.ofMinutes(5).toNanos());

        HandoverClock.Reading reading = read();

        assertThat(reading.foldedAt()).isEqualTo(4);
        assertThat(reading.foldedFor()).isZero();
    }

    @Test
    void soaksFromTheLastBucketThatWasFolded() {
        assertThat(read().foldedFor()).isZero();
        publish(TableEdits.fold(table, epochs(1), "ds-1"));
        read();
        now.set(Duration.ofMinutes(5).toNanos());
        assertThat(read().foldedFor()).isEqualTo(Duration.ofMinutes(5));
        publish(TableEdits.fold(table, epochs(2), "ds-1"));
        assertThat(read().foldedFor()).isZero();
        now.set(Duration.ofMinutes(7).toNanos());

        assertThat(read().foldedFor()).isEqualTo(Duration.ofMinutes(2));
    }
}
