package io.shardwright.dataplane.postgres.fence;

import static io.shardwright.dataplane.postgres.ShopDatabase.keyIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.routing.FenceState;
import io.shardwright.servers.PostgresServer.Version;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the fence promises to every writer that calls nothing: whatever the isolation, the way of sending and the statement, a
 * row of a bucket that this shard does not own is neither added, changed nor removed, and the refusal says where to go.
 */
@ParameterizedClass(name = "PostgreSQL {0}")
@EnumSource(Version.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FenceContractIT {
    private static final int OWNED = 17;
    private static final int MOVED = 42;
    private static final int IMPORTING = 43;
    private static final int ABORTED = 44;
    private static final int ABSENT = 45;
    private static final UUID MOVE = UUID.fromString("5b8c6f0e-0000-4000-8000-000000000001");

    @Parameter
    Version version;

    private ShopDatabase shop;
    private Connection app;

    @BeforeParameterizedClassInvocation
    void openShop(Version version) throws SQLException {
        shop = ShopDatabase.fenced(SharedServers.of(version), "contract", ABSENT);
        shop.setFence(MOVED, FenceState.MOVED, 8, "ds-4", MOVE);
        shop.setFence(IMPORTING, FenceState.IMPORTING, 7, "ds-2", MOVE);
        shop.setFence(ABORTED, FenceState.ABORTED, 7, null, MOVE);
        app = shop.app();
    }

    @AfterParameterizedClassInvocation
    void closeShop() throws SQLException {
        app.close();
    }

    enum Isolation {
        READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
        REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
        SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

        private final int level;

        Isolation(int level) {
            this.level = level;
        }
    }

    /** How an application sends a statement. */
    enum Sending {
        AUTOCOMMIT,
        TRANSACTION,
        BATCH,
        PREPARED,
        SAVEPOINT;

        void send(Connection app, Write write, long key, long id) throws SQLException {
            app.setAutoCommit(this == AUTOCOMMIT || this == PREPARED);
            switch (this) {
                case AUTOCOMMIT, TRANSACTION -> write.execute(app, key, id);
                case BATCH -> batch(app, write, key, id);
                case PREPARED -> prepared(app, write, key, id);
                case SAVEPOINT -> {
                    Savepoint before = app.setSavepoint();
                    write.execute(app, key, id);
                    app.releaseSavepoint(before);
                }
            }
            if (!app.getAutoCommit()) {
                app.commit();
            }
        }

        private static void batch(Connection app, Write write, long key, long id) throws SQLException {
            try (Statement batch = app.createStatement()) {
                batch.execute("CREATE TEMPORARY TABLE IF NOT EXISTS sink (count bigint)");
                batch.addBatch("SET LOCAL statement_timeout = '30s'");
                String sql = write.sql(key, id);
                batch.addBatch(
                        write == Write.CTE_DELETE ? sql.replace("SELECT count", "INSERT INTO sink SELECT count") : sql);
                batch.executeBatch();
            }
        }

        private static void prepared(Connection app, Write write, long key, long id) throws SQLException {
            try (PreparedStatement statement = write.prepare(app, key, id)) {
                statement.execute();
            }
        }
    }

    static Stream<Arguments> everyWayToWrite() {
        return Stream.of(Isolation.values())
                .flatMap(isolation -> Stream.of(Sending.values())
                        .flatMap(sending -> Stream.of(Write.values())
                                .filter(write ->
                                        !write.isCopy() || (sending != Sending.BATCH && sending != Sending.PREPARED))
                                .map(write -> Arguments.of(isolation, sending, write))));
    }

    /** What is let through depends on isolation and sending no more than this. */
    static Stream<Arguments> everyWriteOnce() {
        return everyWayToWrite()
                .filter(way -> way.get()[0] == Isolation.READ_COMMITTED || way.get()[1] == Sending.TRANSACTION);
    }

    @ParameterizedTest(name = "{0} {1} {2}")
    @MethodSource("everyWayToWrite")
    void refusesEveryWriteToABucketThatHasMovedAndNamesItsOwner(Isolation isolation, Sending sending, Write write)
            throws SQLException {
        long key = keyIn(MOVED);
        givenOneRow(key, isolation);

        Refusal refusal = Refusal.of(() -> sending.send(app, write, key, 1));

        refusal.isStaleRoute(MOVED, "MOVED").hints("ds-4", 8, MOVE);
        rollBack();
        assertThat(rows(key)).isEqualTo("1:old");
    }

    @ParameterizedTest(name = "{0} {1} {2}")
    @MethodSource("everyWriteOnce")
    void letsEveryWriteToAnOwnedBucketThrough(Isolation isolation, Sending sending, Write write) throws SQLException {
        long key = keyIn(OWNED);
        givenOneRow(key, isolation);

        sending.send(app, write, key, 1);

        assertThat(rows(key))
                .isEqualTo(
                        switch (write) {
                            case INSERT, COPY, INSERT_SELECT -> "1:old 1001:fresh";
                            case UPDATE, ON_CONFLICT, MERGE -> "1:fresh";
                            case DELETE, CTE_DELETE -> null;
                        });
    }

    @ParameterizedTest
    @EnumSource(
            value = FenceState.class,
            names = {"IMPORTING", "ABORTED", "ABSENT"})
    void refusesABucketInEveryOtherState(FenceState state) throws SQLException {
        int bucket = switch (state) {
            case IMPORTING -> IMPORTING;
            case ABORTED -> ABORTED;
            default -> ABSENT;
        };
        app.setAutoCommit(true);

        Refusal.of(() -> Write.INSERT.execute(app, keyIn(bucket), 1)).isStaleRoute(bucket, state.name());
        Refusal.of(() -> enter(bucket)).isStaleRoute(bucket, state.name());
    }

    private void enter(int bucket) throws SQLException {
        try (Statement statement = app.createStatement()) {
            statement.execute("SELECT shardwright.enter(%d, '%d', NULL)".formatted(bucket, keyIn(bucket)));
        }
    }

    private void givenOneRow(long key, Isolation isolation) throws SQLException {
        rollBack();
        app.setTransactionIsolation(isolation.level);
        shop.plant(
                "DELETE FROM orders WHERE tenant_id = %1$d; INSERT INTO orders VALUES (%1$d, 1, 'old')".formatted(key));
    }

    private void rollBack() throws SQLException {
        if (!app.getAutoCommit()) {
            app.rollback();
        }
    }

    private String rows(long key) {
        return shop.value("SELECT string_agg(id || ':' || note, ' ' ORDER BY id) FROM orders WHERE tenant_id = " + key);
    }
}
