package io.shardwright.dataplane.postgres.failover;

import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.servers.Eventually;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes orders of one bucket's tenant, one after the other, on whatever shard takes them, and never gives up. What was
 * acknowledged must be on the owner in the end; what was refused, nowhere; what has no answer, anywhere or not.
 */
final class LedgerWriter implements AutoCloseable {
    private static final long PACE_NANOS = 5_000_000L;
    private static final long FIRST_ID = 1_000_000L;

    private final FailoverPair pair;
    private final long tenant;
    private final int bucket;
    private final Set<Long> acknowledged = ConcurrentHashMap.newKeySet();
    private final Set<Long> unknown = ConcurrentHashMap.newKeySet();
    private final Thread thread;
    private volatile boolean stop;
    private ReplicatedShard at;
    private volatile ReplicatedShard last;
    private Connection connection;

    LedgerWriter(FailoverPair pair, int bucket) {
        this.pair = pair;
        this.bucket = bucket;
        tenant = ShopDatabase.keyIn(bucket);
        at = pair.source;
        thread = Thread.ofPlatform().daemon().name("writer of " + bucket).start(this::write);
    }

    private void write() {
        for (long id = FIRST_ID; !stop; id++) {
            LockSupport.parkNanos(PACE_NANOS);
            try {
                attempt(id);
                acknowledged.add(id);
                last = at;
            } catch (SQLException e) {
                if ("SH409".equals(e.getSQLState())) {
                    at = at == pair.source ? pair.target : pair.source;
                } else {
                    unknown.add(id);
                }
                disconnect();
            }
        }
        disconnect();
    }

    private void attempt(long id) throws SQLException {
        if (connection == null) {
            connection = at.app();
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET statement_timeout = '2s'");
            }
            connection.commit();
        }
        try (PreparedStatement insert = connection.prepareStatement(
                "SELECT shardwright.enter(?, ?, NULL); INSERT INTO orders (tenant_id, id, note) VALUES (?, ?, 'new')")) {
            insert.setInt(1, bucket);
            insert.setString(2, Long.toString(tenant));
            insert.setLong(3, tenant);
            insert.setLong(4, id);
            insert.execute();
        }
        connection.commit();
    }

    private void disconnect() {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException gone) {
            unknown.add(-1L); // it was gone already
        }
        connection = null;
    }

    void awaitAcknowledgedOn(ReplicatedShard shard) {
        Eventually.until("a write on " + shard.name(), Duration.ofSeconds(30), () -> last == shard, this::toString);
    }

    int acknowledged() {
        return acknowledged.size();
    }

    /** Stops the writer. @return what is wrong on the only owner; empty when all is well */
    List<String> differences() {
        close();
        List<String> owners = pair.owners(bucket);
        if (owners.size() != 1) {
            return List.of("owners: " + owners);
        }
        ReplicatedShard owner = pair.source.owns(bucket) ? pair.source : pair.target;
        Set<Long> stored = new HashSet<>();
        owner.query("SELECT id FROM orders WHERE tenant_id = " + tenant + " AND id >= " + FIRST_ID)
                .forEach(row -> stored.add(Long.parseLong(row.getFirst())));
        List<String> differences = new ArrayList<>();
        Set<Long> lost = new TreeSet<>(acknowledged);
        lost.removeAll(stored);
        lost.forEach(id -> differences.add("acknowledged and not on " + owner.name() + ": " + id));
        stored.removeAll(acknowledged);
        stored.removeAll(unknown);
        stored.forEach(id -> differences.add("refused and on " + owner.name() + ": " + id));
        return differences;
    }

    @Override
    public String toString() {
        return acknowledged.size() + " acknowledged, " + unknown.size() + " unknown, last on " + last.name();
    }

    @Override
    public void close() {
        stop = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
