package io.shardwright.dataplane.postgres.move.sweep;

import io.shardwright.dataplane.MoveTrace;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardTraces;
import io.shardwright.dataplane.postgres.fence.NewerFence;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;

/** Reads everything that moves have written down in one database, and the slots with our prefix that are of this database. */
final class TraceReader {
    private static final Pattern BUCKET = Pattern.compile("b:(\\d{1,9})");

    /**
     * What a move of keys that is gone has left is told, and stays: records of keys, rows of keys that are being filled, and tombstones
     * that cannot tell whether there is an owner, where the move could still fence.
     */
    private static final String TRACES = """
            SELECT move_id, 'claim' AS what, token, '' AS name FROM shardwright.claim
            UNION ALL SELECT move_id, 'progress', token, direction FROM shardwright.move_progress
            UNION ALL SELECT move_id, 'beats', '', beat::text FROM shardwright.heartbeat
            UNION ALL SELECT move_id, CASE WHEN kind IN ('slot', 'rows', 'demoted') THEN kind ELSE 'other ' || kind END, token, name
              FROM shardwright.cleanup_record
            UNION ALL SELECT move_id, 'undecided', '', scope FROM shardwright.fence
              WHERE scope <> 'b:' || bucket AND move_id IS NOT NULL
                AND (state = 'IMPORTING' OR state = 'MOVED' AND move_id IN (SELECT move_id FROM shardwright.claim))
            ORDER BY 1, 2, 4""";

    private static final String SLOTS = "SELECT slot_name, active FROM pg_replication_slots"
            + " WHERE starts_with(slot_name, 'shardwright_') AND database = current_database()";

    private final Connection connection;
    private final SortedMap<UUID, Draft> drafts = new TreeMap<>();

    TraceReader(Connection connection) {
        this.connection = connection;
    }

    private static final class Draft {
        private boolean claimed;
        private boolean filling;
        private long beats;
        private String slot;
        private final SortedSet<Integer> rows = new TreeSet<>();
        private final SortedSet<Integer> demoted = new TreeSet<>();
        private final List<String> unknown = new ArrayList<>();
        private final SortedSet<String> tokens = new TreeSet<>();
    }

    /** @throws ShardException when a newer operator has brought the fence: what it has written down is not understood */
    ShardTraces read() throws SQLException, ShardException {
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.setReadOnly(true);
        connection.setAutoCommit(false);
        if (!isInstalled()) {
            return new ShardTraces(Map.of(), List.of(), new TreeSet<>());
        }
        Optional<String> newer = NewerFence.seen(connection);
        if (newer.isPresent()) {
            throw new ShardException(newer.get() + ": " + NewerFence.REMEDY, true, null);
        }
        Map<Integer, FenceRow> fence = fence();
        readTraces();
        SortedMap<String, Boolean> slots = slots(); // after the records: a slot is made when its record is durable
        SortedSet<String> strangers = new TreeSet<>(slots.keySet());
        drafts.values().stream().filter(draft -> draft.slot != null).forEach(draft -> strangers.remove(draft.slot));
        List<MoveTrace> moves = drafts.entrySet().stream()
                .map(one -> trace(one.getKey(), one.getValue(), slots))
                .toList();
        connection.rollback();
        return new ShardTraces(fence, moves, strangers);
    }

    private static MoveTrace trace(UUID move, Draft draft, SortedMap<String, Boolean> slots) {
        return new MoveTrace(
                move,
                draft.claimed,
                draft.filling,
                draft.beats,
                Optional.ofNullable(draft.slot),
                draft.slot != null && slots.getOrDefault(draft.slot, false),
                draft.rows,
                draft.demoted,
                draft.unknown,
                draft.tokens);
    }

    private boolean isInstalled() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT to_regclass('shardwright.cleanup_record') IS NOT NULL")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    private void readTraces() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(TRACES)) {
            while (row.next()) {
                Draft draft = drafts.computeIfAbsent(row.getObject(1, UUID.class), any -> new Draft());
                note(draft, row.getString(2), row.getString(4));
                if (!row.getString(3).isEmpty()) {
                    draft.tokens.add(row.getString(3));
                }
            }
        }
    }

    private static void note(Draft draft, String what, String recorded) {
        String name =
                recorded.startsWith("k:") ? "k:" + Scope.named(recorded, 0).hidden() : recorded;
        switch (what) {
            case "claim" -> draft.claimed = true;
            case "progress" -> draft.filling = true;
            case "beats" -> draft.beats = Long.parseLong(name);
            case "slot" -> {
                if (draft.slot != null || !name.startsWith("shardwright_")) {
                    draft.unknown.add(what + " " + name);
                } else {
                    draft.slot = name;
                }
            }
            case "rows", "demoted" -> {
                var bucket = BUCKET.matcher(name);
                if (bucket.matches()) {
                    (what.equals("rows") ? draft.rows : draft.demoted).add(Integer.parseInt(bucket.group(1)));
                } else {
                    draft.unknown.add(what + " " + name);
                }
            }
            default -> draft.unknown.add(what + " " + name);
        }
    }

    private SortedMap<String, Boolean> slots() throws SQLException {
        SortedMap<String, Boolean> slots = new TreeMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SLOTS)) {
            while (row.next()) {
                slots.put(row.getString(1), row.getBoolean(2));
            }
        }
        return slots;
    }

    private Map<Integer, FenceRow> fence() throws SQLException {
        Map<Integer, FenceRow> fence = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT bucket, state, epoch, owner, move_id FROM shardwright.fence WHERE scope = 'b:' || bucket")) {
            while (row.next()) {
                FenceRow one = new FenceRow(
                        row.getInt(1),
                        FenceState.valueOf(row.getString(2)),
                        row.getLong(3),
                        row.getString(4),
                        row.getObject(5, UUID.class));
                fence.put(one.bucket(), one);
            }
        }
        return fence;
    }
}
