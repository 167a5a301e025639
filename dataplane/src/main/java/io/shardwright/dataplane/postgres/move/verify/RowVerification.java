package io.shardwright.dataplane.postgres.move.verify;

import io.shardwright.dataplane.MoveReport.Verification;
import io.shardwright.dataplane.postgres.move.apply.RowKey;
import io.shardwright.dataplane.postgres.move.apply.Streaming;
import io.shardwright.dataplane.postgres.move.tables.MovedTable;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Compares both sides before the switch. The first round takes all rows by chunk, then rows of chunks that differ; rows that
 * differ but are in the dirty set are looked at again at a new marker, until none is left in doubt.
 */
public final class RowVerification {
    private static final int ROWS_PER_CHUNK = 5_000;
    private static final int ROUNDS = 10;

    private final Streaming streaming;
    private final Set<Integer> buckets;
    private final Map<String, TableSums> sums = new LinkedHashMap<>();
    private final Set<RowKey> mismatches = new HashSet<>();
    private int chunks;
    private int rounds;

    /** @param rows about how many there are, to cut chunks */
    public RowVerification(Streaming streaming, long rows) {
        this.streaming = streaming;
        buckets = streaming.importing();
        int cut = Math.clamp(rows / ROWS_PER_CHUNK, 1, 4_096);
        for (MovedTable table : streaming.tables().tables()) {
            sums.put(table.qualifiedName(), new TableSums(table, buckets, cut));
        }
    }

    /** @throws MoverFault DIVERGED when a row differs that nobody is writing */
    public Verification run() throws MoverFault {
        Set<RowKey> doubtful = compareChunks();
        while (!doubtful.isEmpty() && rounds < ROUNDS) {
            doubtful = compareRows(doubtful);
        }
        if (!mismatches.isEmpty()) {
            throw MoverFault.diverged(mismatches.size() + " rows differ between " + source() + " and " + target()
                    + ", for example " + mismatches.iterator().next().table());
        }
        if (!doubtful.isEmpty()) {
            throw MoverFault.blocked(
                    doubtful.size() + " rows were written in each of " + rounds + " rounds and differed each time",
                    "none: it is tried again");
        }
        return result();
    }

    /** What was compared, also when a fault ended it. */
    public Verification result() {
        return new Verification(rounds, chunks, mismatches.size());
    }

    private String source() {
        return streaming.incarnation().source().shard();
    }

    private String target() {
        return streaming.incarnation().target().shard();
    }

    private Set<RowKey> compareChunks() throws MoverFault {
        rounds++;
        try (MarkedSnapshots snapshots = MarkedSnapshots.take(streaming)) {
            Set<RowKey> differing = new HashSet<>();
            for (TableSums table : sums.values()) {
                Map<Integer, TableSums.Sum> here = snapshots.onSource(table::read);
                Map<Integer, TableSums.Sum> there = snapshots.onTarget(table::read);
                Set<Integer> suspect = differences(here, there);
                chunks += here.size();
                if (!suspect.isEmpty()) {
                    differing.addAll(differences(
                            snapshots.onSource(connection -> table.rowsOf(connection, suspect)),
                            snapshots.onTarget(connection -> table.rowsOf(connection, suspect))));
                }
            }
            return judge(differing, snapshots.dirty());
        }
    }

    private Set<RowKey> compareRows(Set<RowKey> doubtful) throws MoverFault {
        rounds++;
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
