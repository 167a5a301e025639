package io.shardwright.planning.leftovers;

import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;

/** A move that has no object any more, together with its reversal: what both have left, and about which buckets. */
record Family(LeftoverSight seen, UUID move, UUID reversal) {
    /** All that are gone, in the order of their ids; a reversal whose move nothing names any more stands for itself. */
    static List<Family> of(LeftoverSight seen) {
        Map<UUID, UUID> moves = new HashMap<>();
        Stream.concat(seen.traces().stream().map(Trace::move), rows(seen).map(FenceRow::moveId))
                .forEach(id -> moves.put(seen.reversal().apply(id), id));
        TreeMap<UUID, Family> families = new TreeMap<>();
        Stream.concat(
                        seen.traces().stream().map(Trace::move),
                        rows(seen)
                                .filter(row -> row.state() == FenceState.IMPORTING)
                                .map(FenceRow::moveId))
                .filter(id -> !seen.isLive(id) && !seen.isLive(moves.getOrDefault(id, id)))
                .map(id -> moves.getOrDefault(id, id))
                .forEach(move -> families.putIfAbsent(
                        move, new Family(seen, move, seen.reversal().apply(move))));
        return List.copyOf(families.values());
    }

    /** Those that a move has written. */
    private static Stream<FenceRow> rows(LeftoverSight seen) {
        return seen.fences().values().stream()
                .flatMap(rows -> rows.values().stream())
                .filter(row -> row.moveId() != null);
    }

    boolean has(UUID id) {
        return move.equals(id) || reversal.equals(id);
    }

    /** It moved no bucket. A reversal has no records of its own. */
    boolean isOfKeys() {
        return open().stream().anyMatch(Trace::isOfKeys)
                && open().stream()
                        .allMatch(trace ->
                                trace.rows().isEmpty() && (trace.unknown().isEmpty() || trace.isOfKeys()));
    }

    /** Of those that are not only rows behind a tombstone. */
    List<Trace> open() {
        return traces().filter(trace -> !isSpent(trace)).toList();
    }

    List<Trace> spent() {
        return traces().filter(this::isSpent).toList();
    }

    private Stream<Trace> traces() {
        return seen.traces().stream().filter(trace -> has(trace.move()));
    }

    private boolean isSpent(Trace trace) {
        return !trace.isSource()
                && !trace.filling()
                && !trace.beats()
                && trace.demoted().isEmpty()
                && trace.unknown().isEmpty()
                && trace.rows().stream()
                        .allMatch(bucket -> seen.says(trace.shard(), bucket, FenceState.MOVED, trace.move()));
    }

    /** Fence rows that it is filling, with their shard. */
    List<Map.Entry<String, FenceRow>> filled() {
        return buckets().stream()
                .flatMap(bucket -> seen.rows(bucket).entrySet().stream())
                .filter(one -> one.getValue().state() == FenceState.IMPORTING
                        && has(one.getValue().moveId()))
                .toList();
    }

    /** Its own record, or for a reversal, which has none, whatever it has written down there. */
    boolean hasRecorded(String shard, FenceRow row) {
        return open().stream()
                .filter(trace -> trace.shard().equals(shard) && trace.move().equals(row.moveId()))
                .anyMatch(trace -> reversal.equals(row.moveId()) || trace.rows().contains(row.bucket()));
    }

    /** Buckets that it has a record of, is filling, was decided against, or was the last to decide about. */
    SortedSet<Integer> buckets() {
        SortedSet<Integer> buckets = new TreeSet<>();
        open().forEach(trace -> buckets.addAll(trace.rows()));
        seen.fences()
                .forEach((shard, rows) -> rows.values().stream()
                        .filter(row -> has(row.moveId()))
                        .filter(row -> switch (row.state()) {
                            case IMPORTING, ABORTED -> true;
                            case MOVED -> isLast(shard, row);
                            case OWNED, DRAINING, ABSENT -> false;
                        })
                        .forEach(row -> buckets.add(row.bucket())));
        return buckets;
    }

    private boolean isLast(String shard, FenceRow row) {
        return seen.rows(row.bucket()).entrySet().stream()
                .filter(other -> !other.getKey().equals(shard))
                .allMatch(other -> other.getValue().epoch() < row.epoch());
    }
}
