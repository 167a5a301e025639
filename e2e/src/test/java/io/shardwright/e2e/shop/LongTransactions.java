package io.shardwright.e2e.shop;

import io.shardwright.routing.FenceRefusal;
import io.shardwright.stage.ledger.LedgerEntry.Kind;
import io.shardwright.stage.ledger.LedgerEntry.Mode;
import io.shardwright.stage.ledger.LedgerLine;
import io.shardwright.stage.ledger.LedgerReader;
import io.shardwright.stage.ledger.LedgerWriter;
import io.shardwright.stage.ledger.Outcome;
import io.shardwright.stage.shop.ShardDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.postgresql.PGConnection;
import org.postgresql.util.PSQLException;

/**
 * Transactions that stay open for seconds on buckets that shall move. Each enters its bucket as a router does, also on the new
 * owner when it is told of one, writes a row, and keeps a ledger of its own. A bucket is always the next one to be switched:
 * there a transaction is most in the way.
 */
public final class LongTransactions implements AutoCloseable {
    /** No router of the load has this number. */
    private static final int ROUTER = 900;

    private static final int HOPS = 3;
    private static final Duration LONGEST = Duration.ofMinutes(2);

    private final Shop shop;
    private final String source;
    private final Collection<Integer> moving;
    private final Path file;
    private final LedgerWriter ledger;
    private final AtomicInteger count = new AtomicInteger();
    private final List<CompletableFuture<Void>> ends = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
    private volatile boolean stopped;

    /** @param source who owns the buckets before the move */
    public LongTransactions(Shop shop, String source, Collection<Integer> moving, Path file) {
        this.shop = shop;
        this.source = source;
        this.moving = List.copyOf(moving);
        this.file = file;
        ledger = new LedgerWriter(file, ROUTER);
    }

    /**
     * One that is open.
     *
     * @param session in the words of an operator who names it
     * @param entered since when it is inside of the bucket
     * @param end completed by its commit
     */
    public record Inside(String session, int bucket, Instant entered, CompletableFuture<Void> end) {}

    /** From now on one after the other, with gaps, while a bucket is left to be switched. */
    public void everySoOften(String application, Duration length, Duration gap) {
        CompletableFuture<Void> cycle = new CompletableFuture<>();
        ends.add(cycle);
        next(application, length, gap, cycle);
    }

    private void next(String application, Duration length, Duration gap, CompletableFuture<Void> cycle) {
        try {
            if (stopped || nextToMove().isEmpty()) {
                cycle.complete(null);
                return;
            }
            enter(application, length).end().whenComplete((done, failure) -> {
                if (failure == null) {
                    timer.schedule(() -> next(application, length, gap, cycle), gap.toMillis(), TimeUnit.MILLISECONDS);
                } else {
                    cycle.completeExceptionally(failure);
                }
            });
        } catch (SQLException | RuntimeException e) {
            cycle.completeExceptionally(e);
        }
    }

    /** Returns when it is inside of the bucket; it ends by itself. */
    public Inside enter(String application, Duration length) throws SQLException {
        int bucket = nextToMove().orElseThrow(() -> new IllegalStateException("all of " + moving + " have moved"));
        Writing writing = begin(application, bucket);
        CompletableFuture<Void> end = new CompletableFuture<>();
        ends.add(end);
        timer.schedule(() -> writing.commit(end), length.toMillis(), TimeUnit.MILLISECONDS);
        return new Inside(writing.session(), bucket, Instant.now(), end);
    }

    /** Groups are switched in the order of their buckets. */
    private Optional<Integer> nextToMove() {
        return shop.stage().truth().owned().get(source).stream()
                .filter(moving::contains)
                .findFirst();
    }

    private Writing begin(String application, int bucket) throws SQLException {
        long tenant = shop.stage().layout().tenantsByBucket().get(bucket).get(0);
        String row = "w-long-" + count.incrementAndGet();
        long id = ledger.begin(tenant, Kind.INSERT, row, Mode.TRANSACTION, Instant.now());
        String shard = source;
        for (int hop = 1; ; hop++) {
            Connection connection = shop.application(shard, "?ApplicationName=" + application);
            try (Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                statement.execute("SELECT shardwright.enter(%d, '%d', NULL)".formatted(bucket, tenant));
                statement.execute("INSERT INTO orders (tenant_id, reference, total_cents) VALUES (%d, '%s', %d)"
                        .formatted(tenant, row, id));
                return new Writing(connection, session(connection, application), id);
            } catch (SQLException refusal) {
                connection.close();
                if (hop == HOPS || !FenceRefusal.SQL_STATE.equals(refusal.getSQLState())) {
                    ledger.end(id, Outcome.REFUSED);
                    throw refusal;
                }
                shard = owner(refusal).orElse(shard);
            }
        }
    }

    private static String session(Connection connection, String application) throws SQLException {
        int pid = connection.unwrap(PGConnection.class).getBackendPID();
        return "pid %d user %s '%s'".formatted(pid, ShardDatabase.APPLICATION_LOGIN, application);
    }

    private static Optional<String> owner(SQLException refusal) {
        String detail = ((PSQLException) refusal).getServerErrorMessage().getDetail();
        return Optional.ofNullable(FenceRefusal.parse(detail).owner());
    }

    private final class Writing {
        private final Connection connection;
        private final String session;
        private final long id;

        private Writing(Connection connection, String session, long id) {
            this.connection = connection;
            this.session = session;
            this.id = id;
        }

        private String session() {
            return session;
        }

        private void commit(CompletableFuture<Void> end) {
            Outcome outcome = Outcome.UNKNOWN;
            try (connection) {
                connection.commit();
                outcome = Outcome.ACKNOWLEDGED;
                end.complete(null);
            } catch (SQLException | RuntimeException e) {
                end.completeExceptionally(e);
            } finally {
                ledger.end(id, outcome);
            }
        }
    }

    /** So many were begun. */
    public int begun() {
        return count.get();
    }

    /** Begins no more, and returns when all that are open have ended. Throws when one could not do what it wanted. */
    public void finish() {
        stopped = true;
        ends.forEach(end -> end.orTimeout(LONGEST.toSeconds(), TimeUnit.SECONDS).join());
    }

    public List<LedgerLine> ledger() {
        return LedgerReader.read(List.of(file));
    }

    /** What is still open is cut off. */
    @Override
    public void close() {
        stopped = true;
        timer.shutdownNow();
        ledger.close();
    }
}
