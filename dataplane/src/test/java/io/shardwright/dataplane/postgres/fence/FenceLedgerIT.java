package io.shardwright.dataplane.postgres.fence;

import static io.shardwright.dataplane.postgres.ShopDatabase.keyIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.fence.FenceContractIT.Isolation;
import io.shardwright.routing.FenceState;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.PostgresServer.Version;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Writers of all isolation levels, with and without {@code enter}, run into the fence again and again. What is there when the
 * fence is committed is all that a mover can take along, so it must be exactly what was acknowledged, and stay so.
 */
@ParameterizedClass(name = "PostgreSQL {0}")
@EnumSource(Version.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FenceLedgerIT {
    private static final int BUCKET = 17;
    private static final long KEY = keyIn(BUCKET);
    private static final int ROUNDS = 4;
    private static final int WRITES_PER_ROUND = 40;

    @Parameter
    Version version;

    private ShopDatabase shop;

    @BeforeParameterizedClassInvocation
    void openShop(Version version) {
        shop = ShopDatabase.fenced(SharedServers.of(version), "ledger");
    }

    /** One writer: inserts numbered rows until it is refused for good. */
    private static final class Writer {
        private final ShopDatabase shop;
        private final AtomicLong ids;
        private final Set<Long> acknowledged;
        private final Random random;
        private Isolation isolation;

        Writer(ShopDatabase shop, AtomicLong ids, Set<Long> acknowledged, long seed) {
            this.shop = shop;
            this.ids = ids;
            this.acknowledged = acknowledged;
            this.random = new Random(seed);
        }

        Void writeUntilMoved() throws SQLException {
            try (Connection app = shop.app()) {
                app.setAutoCommit(false);
                while (true) {
                    long id = ids.incrementAndGet();
                    try {
                        write(app, id);
                        acknowledged.add(id);
                    } catch (SQLException e) {
                        app.rollback();
                        if (isMoved(Refusal.of(e))) {
                            return null;
                        }
                    }
                }
            }
        }

        private boolean isMoved(Refusal refusal) {
            if (isolation == Isolation.SERIALIZABLE && refusal.sqlState().equals("40001")) {
                return false; // the writers among themselves
            }
            assertThat(refusal.sqlState()).isEqualTo("SH409");
            return refusal.detail().contains("MOVED");
        }

        private void write(Connection app, long id) throws SQLException {
            isolation = Isolation.values()[random.nextInt(3)];
            try (Statement statement = app.createStatement()) {
                statement.execute(
                        "SET TRANSACTION ISOLATION LEVEL " + isolation.name().replace('_', ' '));
                if (random.nextBoolean()) {
                    statement.execute("SELECT shardwright.enter(%d, '%d', NULL)".formatted(BUCKET, KEY));
                }
                if (random.nextBoolean()) {
                    statement.execute("SELECT count(*) FROM orders WHERE id = 0");
                    statement.execute("SAVEPOINT s");
                }
                statement.execute(Write.INSERT.sql(KEY, id - 1_000));
                app.commit();
            }
        }
    }

    @Test
    void whatIsThereAtTheFenceIsExactlyWhatWasAcknowledged() throws Exception {
        Set<Long> acknowledged = new ConcurrentSkipListSet<>();
        AtomicLong ids = new AtomicLong();
        for (int round = 0; round < ROUNDS; round++) {
            shop.setFence(BUCKET, FenceState.OWNED, 7, "ds-0", null);
            int before = acknowledged.size();
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                    Other mover = new Other(shop, shop.mover())) {
                List<Future<Void>> writers = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    Writer writer = new Writer(shop, ids, acknowledged, round * 10L + i);
                    writers.add(threads.submit(writer::writeUntilMoved));
                }
                Eventually.until(
                        "some writes",
                        Other.LIMIT,
                        () -> acknowledged.size() >= before + WRITES_PER_ROUND,
                        () -> acknowledged.size() + " acknowledged");

                mover.run(Other.fenceOff(BUCKET));
                Set<Long> taken = rows();
                for (Future<Void> writer : writers) {
                    writer.get();
                }

                assertThat(taken).isEqualTo(rows()).isEqualTo(new TreeSet<>(acknowledged));
            }
        }
    }

    private Set<Long> rows() throws SQLException {
        Set<Long> ids = new TreeSet<>();
        try (Connection connection = shop.superuser();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT id FROM orders")) {
            while (rows.next()) {
                ids.add(rows.getLong(1));
            }
        }
        return ids;
    }
}
