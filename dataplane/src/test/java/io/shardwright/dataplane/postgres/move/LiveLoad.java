package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.postgres.ShopDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.postgresql.util.PSQLException;

/**
 * Open-loop writers on the tenants of some buckets, each with its own rows, as routers would write: enter first, follow the
 * owner of a refusal, try again. Keeps a ledger of what was acknowledged.
 */
final class LiveLoad implements AutoCloseable {
    /** @param note what the row must have at the end; null = deleted */
    record Acknowledged(long tenant, long id, String note) {}

    private final Map<String, ShopDatabase> shards = new TreeMap<>();
    private final List<Long> tenants;
    private final List<Thread> writers = new ArrayList<>();
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicLong ids = new AtomicLong(1_000_000);
    private final Map<Long, String> owners = new java.util.concurrent.ConcurrentHashMap<>();
    final ConcurrentLinkedQueue<Acknowledged> ledger = new ConcurrentLinkedQueue<>();
    final ConcurrentLinkedQueue<long[]> waits = new ConcurrentLinkedQueue<>();
    final ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
    final AtomicLong refusals = new AtomicLong();

    /** On one tenant of each bucket. @param perSecond writes of all writers together */
    LiveLoad(MovePair pair, int writerCount, int perSecond, Integer... buckets) {
        this(
                pair,
                writerCount,
                perSecond,
                List.of(buckets).stream().map(ShopDatabase::keyIn).toList());
    }

    LiveLoad(MovePair pair, int writerCount, int perSecond, List<Long> tenants) {
        shards.put("ds-0", pair.here);
        shards.put("ds-4", pair.there);
        this.tenants = tenants;
        long step = 1_000_000_000L * writerCount / perSecond;
        long start = System.nanoTime() + 100_000_000L;
        for (int i = 0; i < writerCount; i++) {
            int writer = i;
            long first = start + i * step / writerCount;
            writers.add(Thread.ofPlatform().name("writer " + i).start(() -> write(writer, first, step)));
        }
    }

    private void write(int writer, long first, long step) {
        try (Connection here = open("ds-0");
                Connection there = open("ds-4")) {
            Map<String, Connection> connections = Map.of("ds-0", here, "ds-4", there);
            long next = first;
            Map<Long, Long> previous = new TreeMap<>();
            for (long n = 0; !stop.get(); n++) {
                pace(next);
                long tenant = tenants.get((int) ((n + writer) % tenants.size()));
                long id = ids.incrementAndGet();
                boolean change = n / tenants.size() % 2 == 1;
                long changed = change && previous.containsKey(tenant) ? previous.get(tenant) : 0;
                previous.put(tenant, transact(connections, tenant, id, changed));
                waits.add(new long[] {next, System.nanoTime()});
                next += step;
            }
        } catch (SQLException | RuntimeException e) {
            errors.add(String.valueOf(e));
        }
    }

    private static void pace(long next) {
        for (long left = next - System.nanoTime(); left > 0; left = next - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private Connection open(String shard) throws SQLException {
        Connection connection = shards.get(shard).app();
        connection.setAutoCommit(false);
        return connection;
    }

    /** Inserts an order with an item, and updates or deletes the one before. @return the new id */
    private long transact(Map<String, Connection> connections, long tenant, long id, long previous)
            throws SQLException {
        String owner = owners.getOrDefault(tenant, "ds-0");
        long limit = System.nanoTime() + 30_000_000_000L;
        while (System.nanoTime() < limit) {
            Connection connection = connections.get(owner);
            try {
                attempt(connection, tenant, id, previous);
                owners.put(tenant, owner);
                return id;
            } catch (PSQLException e) {
                connection.rollback();
                if (!"SH409".equals(e.getSQLState())) {
                    throw e;
                }
                refusals.incrementAndGet();
                owner = hint(e, owner);
                LockSupport.parkNanos(1_000_000L);
            }
        }
        throw new IllegalStateException("tenant " + tenant + " has no owner");
    }

    private static String hint(PSQLException refusal, String tried) {
        String detail = refusal.getServerErrorMessage().getDetail();
        if (detail.contains("DRAINING")) {
            return tried;
        }
        if (detail.contains("\"ds-4\"")) {
            return "ds-4";
        }
        return detail.contains("\"ds-0\"") ? "ds-0" : tried.equals("ds-0") ? "ds-4" : "ds-0";
    }

    private void attempt(Connection connection, long tenant, long id, long previous) throws SQLException {
        execute(
                connection,
                "SELECT shardwright.enter(?, ?, NULL)",
                ShopDatabase.scope(tenant).bucket(),
                Long.toString(tenant));
        execute(connection, "INSERT INTO orders (tenant_id, id, note) VALUES (?, ?, ?)", tenant, id, "new " + id);
        execute(
                connection,
                "INSERT INTO order_items (tenant_id, order_id, id, sku) VALUES (?, ?, ?, 'sku')",
                tenant,
                id,
                id);
        Acknowledged change = null;
        if (previous != 0 && previous % 2 == 0) {
            execute(
                    connection,
                    "UPDATE orders SET note = ? WHERE tenant_id = ? AND id = ?",
                    "upd " + id,
                    tenant,
                    previous);
            change = new Acknowledged(tenant, previous, "upd " + id);
        } else if (previous != 0) {
            execute(connection, "DELETE FROM orders WHERE tenant_id = ? AND id = ?", tenant, previous);
            change = new Acknowledged(tenant, previous, null);
        }
        connection.commit();
        ledger.add(new Acknowledged(tenant, id, "new " + id));
        if (change != null) {
            ledger.add(change);
        }
    }

    private static void execute(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.execute();
        }
    }

    /** Stops the writers. @return differences between ledger and the owners' rows; empty when all is well */
    List<String> stopAndCompare() {
        close();
        Map<String, String> expected = new TreeMap<>();
        for (Acknowledged entry : ledger) {
            expected.put(entry.tenant() + "/" + entry.id(), String.valueOf(entry.note()));
        }
        expected.values().removeIf("null"::equals);
        Map<String, String> found = new TreeMap<>();
        List<String> differences = new ArrayList<>(errors);
        for (ShopDatabase shard : shards.values()) {
            for (List<String> row : shard.server().query(shard.name(), """
                SELECT o.tenant_id || '/' || o.id, o.note, i.id FROM orders o
                LEFT JOIN order_items i ON i.tenant_id = o.tenant_id AND i.order_id = o.id
                LEFT JOIN shardwright.fence k ON k.scope = 'k:' || o.tenant_id
                JOIN shardwright.fence f ON f.scope = coalesce(k.scope, 'b:' || shardwright.bucket_of(o.tenant_id::text))
                WHERE f.state = 'OWNED' AND o.id >= 1000000 AND o.tenant_id = ANY ('{%s}')\
                """.formatted(tenantList()))) {
                if (found.put(row.get(0), row.get(1)) != null) {
                    differences.add("twice: " + row.get(0));
                }
                if (row.get(2) == null) {
                    differences.add("without item: " + row.get(0));
                }
            }
        }
        expected.forEach((key, note) -> {
            if (!note.equals(found.get(key))) {
                differences.add("acknowledged " + key + " " + note + ", stored " + found.get(key));
            }
        });
        found.keySet().stream()
                .filter(key -> !expected.containsKey(key))
                .forEach(key -> differences.add("not acknowledged, or deleted: " + key));
        return differences;
    }

    private String tenantList() {
        return String.join(",", tenants.stream().map(String::valueOf).toList());
    }

    @Override
    public void close() {
        stop.set(true);
        try {
            for (Thread writer : writers) {
                writer.join();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
