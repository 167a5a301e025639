package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.servers.Eventually;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Case 5: 64 writers of one bucket, whose short transactions overlap so that there is always one, and one that follows. */
class CrowdedDrainIT {
    private static final int BUCKET = 17;
    private static final int WRITERS = 64;
    private static final long ENOUGH = 2L * WRITERS;

    /** A few; an unfair queue takes hundreds. */
    private static final double MOST_TRANSACTIONS = 10;

    private final MovePair pair = MovePair.upwards();
    private final AtomicLong ids = new AtomicLong();
    private final ConcurrentLinkedQueue<Long> acknowledged = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Long> took = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Long> waited = new ConcurrentLinkedQueue<>();

    private volatile boolean stop;

    /** Until it is refused because the bucket has moved, or the test ends. */
    private Void write() throws SQLException {
        try (Connection app = pair.here.app();
                Statement statement = app.createStatement()) {
            app.setAutoCommit(false);
            while (!stop) {
                long id = ids.incrementAndGet();
                long begun = System.nanoTime();
                statement.execute("SELECT shardwright.enter(" + BUCKET + ", NULL, NULL)");
                long entered = System.nanoTime();
                statement.execute(OrderRows.insert(BUCKET, (int) id, "written"));
                statement.execute("SELECT pg_sleep(0.2)");
                app.commit();
                acknowledged.add(id);
                waited.add(entered - begun);
                took.add(System.nanoTime() - entered);
            }
            return null;
        } catch (SQLException refused) {
            if ("SH409".equals(refused.getSQLState()) && refused.getMessage().contains("MOVED")) {
                return null;
            }
            throw refused;
        }
    }

    @Test
    void theDrainTakesAFewTimesAsLongAsATransaction() throws Exception {
        MoveTask task = pair.task(BUCKET);
        try (MoverDriver mover = new MoverDriver(task);
                ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
            mover.done(Command.PREPARE, Command.VERIFY);
            List<Future<Void>> writers = new ArrayList<>();
            try {
                for (int i = 0; i < WRITERS; i++) {
                    writers.add(threads.submit(this::write));
                }
                Eventually.until(
                        "every writer to be at work",
                        Duration.ofSeconds(60),
                        () -> acknowledged.size() >= ENOUGH,
                        () -> acknowledged.size() + " acknowledged");

                MoveReport report = mover.switchEach(task.scopes());

                for (Future<Void> writer : writers) {
                    writer.get(60, TimeUnit.SECONDS);
                }
                assertThat(report.switches()).as("no attempt was given up").hasSize(1);
                assertFew(report.switches().getFirst().parts().get("drain"));
            } finally {
                stop = true;
            }
        }
        assertThat(pair.there.count("orders WHERE tenant_id = " + ShopDatabase.keyIn(BUCKET)))
                .isEqualTo(acknowledged.size());
    }

    private void assertFew(double drain) {
        double transaction = median(took);
        System.out.printf(
                "%d writers: drain %.1f ms, %.1f times the median transaction of %.1f ms; longest wait to enter %.1f ms%n",
                WRITERS,
                drain,
                drain / transaction,
                transaction,
                waited.stream().mapToLong(Long::longValue).max().orElse(0) / 1e6);
        assertThat(drain / transaction).as("drain in transactions").isLessThan(MOST_TRANSACTIONS);
    }

    private static double median(ConcurrentLinkedQueue<Long> nanos) {
        List<Long> sorted = nanos.stream().sorted().toList();
        return sorted.get(sorted.size() / 2) / 1e6;
    }
}
