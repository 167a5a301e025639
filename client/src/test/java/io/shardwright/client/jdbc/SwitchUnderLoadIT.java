package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.client.BucketSwitch;
import io.shardwright.client.TwoShards;
import io.shardwright.servers.Eventually;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** CT24 in small: eight writers of one bucket on pools of two connections, through its switch. */
class SwitchUnderLoadIT {
    private static final int BUCKET = 3;
    private static final int WRITERS = 8;
    private static final int POOL = 2;
    private static final long ENOUGH = 20;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final TwoShards shards = new TwoShards();
    private final TestRouter router =
            new TestRouter(shards.pools(shards.server().port(), POOL, ""));
    private final ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private volatile boolean stop;

    private enum Mode {
        AUTOCOMMIT,
        TRANSACTION
    }

    /** Writes its own rows, and counts what it was told is done. */
    private final class Writer implements Runnable {
        private final Mode mode;
        private final long tenant;
        private final AtomicLong done = new AtomicLong();

        Writer(Mode mode, int number) {
            this.mode = mode;
            this.tenant = TwoShards.tenant(BUCKET, number);
        }

        @Override
        public void run() {
            try {
                while (!stop) {
                    writeOnce();
                    done.incrementAndGet();
                }
            } catch (SQLException | RuntimeException | AssertionError e) {
                errors.add(e);
            }
        }

        /** A row of a new id, and one more sign in the row that counts: lost and doubled writes both show. */
        @SuppressWarnings("try")
        private void writeOnce() throws SQLException {
            try (ShardScope scope = router.key(tenant);
                    Connection connection = router.dataSource.getConnection()) {
                connection.setAutoCommit(mode == Mode.AUTOCOMMIT);
                execute(connection, "INSERT INTO orders VALUES (?, ?, 'x')", tenant, done.get() + 1);
                execute(connection, "UPDATE orders SET v = v || '+' WHERE tenant_id = ? AND id = ?", tenant, 0);
                if (mode == Mode.TRANSACTION) {
                    connection.commit();
                }
            }
        }

        private void execute(Connection connection, String sql, long... parameters) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < parameters.length; i++) {
                    statement.setLong(i + 1, parameters[i]);
                }
                assertThat(statement.executeUpdate()).isEqualTo(1);
            }
        }

        List<String> expected() {
            List<String> rows = new ArrayList<>();
            rows.add("+".repeat((int) done.get()));
            IntStream.range(0, (int) done.get()).forEach(written -> rows.add("x"));
            return rows;
        }
    }

    @BeforeEach
    void routerKnowsTheOldTable() {
        router.knows(shards.table(1, Map.of()));
    }

    @AfterEach
    void stopAll() {
        stop = true;
        threads.shutdownNow();
        router.close();
        shards.close();
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void nothingFailsIsLostOrDoubledAndAllConnectionsComeBack(Mode mode) throws Exception {
        List<Writer> writers = IntStream.range(0, WRITERS)
                .mapToObj(number -> new Writer(mode, number))
                .toList();
        for (Writer writer : writers) {
            shards.sql("ds-0", "INSERT INTO orders VALUES (" + writer.tenant + ", 0, '')");
        }
        List<CompletableFuture<Void>> running = writers.stream()
                .map(writer -> CompletableFuture.runAsync(writer, threads))
                .toList();
        awaitProgress(writers);
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            bucket.drain().fence().activate();
            awaitProgress(writers);
            router.knows(shards.table(2, Map.of(BUCKET, "ds-1")));
            awaitProgress(writers);
        }
        stop = true;

        for (CompletableFuture<Void> writer : running) {
            writer.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }

        assertThat(errors).isEmpty();
        for (Writer writer : writers) {
            assertThat(shards.values("ds-1", writer.tenant)).isEqualTo(writer.expected());
        }
        assertThat(router.counters.replays()).as("the switch was met").isPositive();
        assertThat(shards.connectionsInUse()).isZero();
        assertThat(router.flights.oldest(router.table.require().order()).revision())
                .isEqualTo(2);
    }

    private void awaitProgress(List<Writer> writers) {
        List<Long> before = writers.stream().map(writer -> writer.done.get()).toList();
        Eventually.until(
                "some more work of each writer",
                LIMIT,
                () -> !errors.isEmpty()
                        || IntStream.range(0, WRITERS)
                                .allMatch(i -> writers.get(i).done.get() >= before.get(i) + ENOUGH),
                () -> "done " + writers.stream().map(writer -> writer.done).toList());
    }
}
