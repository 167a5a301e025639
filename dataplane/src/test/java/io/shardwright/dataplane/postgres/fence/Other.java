package io.shardwright.dataplane.postgres.fence;

import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.servers.Eventually;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.postgresql.PGConnection;

/** Another session, whose statements may have to wait while the test goes on. */
final class Other implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(30);

    private final ShopDatabase shop;
    private final Connection connection;

    Other(ShopDatabase shop, Connection connection) {
        this.shop = shop;
        this.connection = connection;
    }

    Connection connection() {
        return connection;
    }

    void run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** As if it were new. */
    void reset() throws SQLException {
        connection.setAutoCommit(true);
        run("ROLLBACK");
        run("RESET ALL; SELECT pg_advisory_unlock_all()");
    }

    /** Statements that are running now. */
    record Running(CompletableFuture<Void> done) {
        /** Waits for the end. @throws SQLException what the statement threw */
        void finish() throws SQLException {
            try {
                done.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof SQLException sql) {
                    throw sql;
                }
                throw new AssertionError(e.getCause());
            } catch (InterruptedException | TimeoutException e) {
                throw new AssertionError("it did not end", e);
            }
        }
    }

    Running start(String sql) {
        return new Running(CompletableFuture.runAsync(
                () -> {
                    try {
                        run(sql);
                    } catch (SQLException e) {
                        throw new CompletionException(e);
                    }
                },
                Thread::startVirtualThread));
    }

    /** Starts it and returns when the server shows that it waits for a lock. */
    Running startAndWaitForLock(String sql) throws SQLException {
        int pid = connection.unwrap(PGConnection.class).getBackendPID();
        Running running = start(sql);
        Eventually.until(
                "session " + pid + " to wait for a lock",
                LIMIT,
                () -> shop.value("SELECT count(*) FROM pg_locks WHERE NOT granted AND pid = " + pid)
                        .equals("1"),
                () -> "it ended: " + running.done());
        return running;
    }

    /** 7b and 7c as a mover sends them, in one string: drain, fence, commit. */
    static String fenceOff(int bucket) {
        return """
                BEGIN; SELECT pg_advisory_xact_lock(7001, %1$d);
                UPDATE shardwright.fence SET state = 'MOVED', epoch = epoch + 1, owner = 'ds-4' WHERE scope = 'b:%1$d';
                COMMIT""".formatted(bucket);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
