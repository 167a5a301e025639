package io.shardwright.dataplane.postgres.move.verify;

import io.shardwright.dataplane.MoveReport.Verification;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.postgres.move.apply.RowKey;
import io.shardwright.dataplane.postgres.move.apply.Streaming;
import io.shardwright.dataplane.postgres.move.tables.MovedTable;
import io.shardwright.dataplane.postgres.move.throttle.Brake;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.routing.Scope;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Compares both sides before the switch. The first round takes all rows by chunk, then rows of chunks that differ; rows that
 * differ but are in the dirty set are looked at again at a new marker, until none is left in doubt.
 */
public final class RowVerification {
    /** Shares of the keys of a table; how many rows there are is not known after a takeover. */
    static final int CHUNKS = 1_024;

    /** Rows of differing chunks that are looked at together. */
    private static final long ROWS_AT_ONCE = 100_000;

    /** So many say all that the others could. */
    private static final int ENOUGH_MISMATCHES = 1_000;

    private static final int ROUNDS = 10;

    /** Of each table; the message that has them is for people. */
    private static final int BUCKETS_NAMED = 10;

    private final Streaming streaming;
    private final Brake brake;
    private final Map<String, TableSums> sums = new LinkedHashMap<>();
    private final Set<RowKey> mismatches = new HashSet<>();
    private int chunks;
    private int rounds;

    /**
     * @param scopes that both sides have, all of them in the stream
     * @param brake asked before each look at a part of the rows
     */
    public RowVerification(Streaming streaming, Set<Scope> scopes, Brake brake) {
        this.streaming = streaming;
        this.brake = brake;
        for (MovedTable table : streaming.tables().tables()) {
            sums.put(table.qualifiedName(), new TableSums(table, scopes, CHUNKS));
        }
    }

    /** @throws MoverFault DIVERGED when a row differs that nobody is writing */
    public Verification run() throws MoverFault {
        Set<RowKey> doubtful = compareChunks();
        while (!doubtful.isEmpty() && rounds < ROUNDS) {
            doubtful = compareRows(doubtful);
        }
        if (!mismatches.isEmpty()) {
            throw MoverFault.diverged(
                    mismatches.size() + " rows differ between " + source() + " and " + target() + ": " + where());
        }
        if (!doubtful.isEmpty()) {
            throw MoverFault.blocked(
                    doubtful.size() + " rows were written in each of " + rounds + " rounds and differed each time",
                    "nothing: they are compared again; if it does not end, look who writes these rows all the time");
        }
        return result();
    }

    /** What was compared, also when a fault ended it. */
    public Verification result() {
        return new Verification(rounds, chunks, mismatches.size());
    }

    /** By table and bucket. A status has many readers, and the key of a row may be none of their business. */
    private String where() {
        Map<String, SortedSet<Integer>> buckets = new TreeMap<>();
        ShardedSchema schema = streaming.incarnation().task().schema();
        for (RowKey row : mismatches) {
            buckets.computeIfAbsent(row.table(), table -> new TreeSet<>())
                    .add(sums.get(row.table()).bucketOf(row, schema));
        }
        return buckets.entrySet().stream()
                .map(table -> table.getKey() + " in buckets " + named(table.getValue()))
                .collect(Collectors.joining("; "));
    }

    private static String named(SortedSet<Integer> buckets) {
        int more = buckets.size() - BUCKETS_NAMED;
        List<Integer> first = buckets.stream().limit(BUCKETS_NAMED).toList();
        return more > 0 ? first + " and " + more + " more" : first.toString();
    }

    private String source() {
        return streaming.incarnation().source().shard();
    }

    private String target() {
        return streaming.incarnation().target().shard();
    }

    private Set<RowKey> compareChunks() throws MoverFault {
        rounds++;
        brake.awaitRelease();
        try (MarkedSnapshots snapshots = MarkedSnapshots.take(streaming)) {
            Set<RowKey> doubtful = new HashSet<>();
            for (TableSums table : sums.values()) {
                brake.awaitRelease();
                Map<Integer, TableSums.Sum> here = snapshots.onSource(table::read);
                Map<Integer, TableSums.Sum> there = snapshots.onTarget(table::read);
                chunks += here.size();
                for (Set<Integer> some : portions(differences(here, there), here, there)) {
                    if (mismatches.size() < ENOUGH_MISMATCHES) {
                        doubtful.addAll(compareRows(snapshots, table, some));
                    }
                }
            }
            return doubtful;
        }
    }

    private Set<RowKey> compareRows(MarkedSnapshots snapshots, TableSums table, Set<Integer> some) throws MoverFault {
        brake.awaitRelease();
        Set<RowKey> differing = differences(
                snapshots.onSource(connection -> table.rowsOf(connection, some)),
                snapshots.onTarget(connection -> table.rowsOf(connection, some)));
        return judge(differing, snapshots.dirty());
    }

    /** Differing chunks in portions that fit into memory, however many differ. */
    private static List<Set<Integer>> portions(
            Set<Integer> differing, Map<Integer, TableSums.Sum> here, Map<Integer, TableSums.Sum> there) {
        List<Set<Integer>> portions = new ArrayList<>();
        long rows = ROWS_AT_ONCE;
        for (int chunk : differing) {
            long more = rowsIn(here, chunk) + rowsIn(there, chunk);
            if (rows + more > ROWS_AT_ONCE) {
                portions.add(new HashSet<>());
                rows = 0;
            }
            portions.getLast().add(chunk);
            rows += more;
        }
        return portions;
    }

    private static long rowsIn(Map<Integer, TableSums.Sum> sums, int chunk) {
        TableSums.Sum sum = sums.get(chunk);
        return sum == null ? 0 : sum.rows();
    }

    private Set<RowKey> compareRows(Set<RowKey> doubtful) throws MoverFault {
        rounds++;
        brake.awaitRelease();
        try (MarkedSnapshots snapshots = MarkedSnapshots.take(streaming)) {
            Set<RowKey> differing = new HashSet<>();
            for (Map.Entry<String, List<RowKey>> table : byTable(doubtful).entrySet()) {
                TableSums rows = sums.get(table.getKey());
                differing.addAll(differences(
                        snapshots.onSource(connection -> rows.rowsOf(connection, table.getValue())),
                        snapshots.onTarget(connection -> rows.rowsOf(connection, table.getValue()))));
            }
            return judge(differing, snapshots.dirty());
        }
    }

    /** @return rows that differ only because somebody writes them */
    private Set<RowKey> judge(Set<RowKey> differing, Set<RowKey> dirty) {
        Set<RowKey> doubtful = new HashSet<>(differing);
        doubtful.retainAll(dirty);
        differing.removeAll(dirty);
        mismatches.addAll(differing);
        return doubtful;
    }

    private static Map<String, List<RowKey>> byTable(Collection<RowKey> keys) {
        Map<String, List<RowKey>> byTable = new HashMap<>();
        keys.forEach(key ->
                byTable.computeIfAbsent(key.table(), name -> new ArrayList<>()).add(key));
        return byTable;
    }

    private static <K, V> Set<K> differences(Map<K, V> here, Map<K, V> there) {
        Set<K> keys = new HashSet<>(here.keySet());
        keys.addAll(there.keySet());
        keys.removeIf(key -> Objects.equals(here.get(key), there.get(key)));
        return keys;
    }
}
