package io.shardwright.planning.leftovers;

import io.shardwright.planning.leftovers.SweepPlan.Swap;
import io.shardwright.planning.leftovers.SweepPlan.Sweep;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;

/**
 * Decides what of the leftovers may go: pure, one look in, one plan out. After a sweep it is asked again with a new look, so
 * that a step which needs another one to be done before sees that it is done.
 */
public final class SweepPlanner {
    private final LeftoverSight seen;
    private final Sightings.Book book;
    private final List<Function<Family, List<Finding>>> checks;
    private final List<Sweep> due = new ArrayList<>();
    private final List<Finding> findings = new ArrayList<>();
    private boolean again;

    private SweepPlanner(LeftoverSight seen, Sightings.Book book, List<Function<Family, List<Finding>>> checks) {
        this.seen = seen;
        this.book = book;
        this.checks = checks;
    }

    /** @param before what the last plan has handed on; @param nowNanos monotonic time of the look */
    public static SweepPlan plan(LeftoverSight seen, Sightings before, long nowNanos) {
        return plan(seen, before, nowNanos, SweepChecks.ALL);
    }

    static SweepPlan plan(
            LeftoverSight seen, Sightings before, long nowNanos, List<Function<Family, List<Finding>>> checks) {
        Sightings.Book book = new Sightings.Book(before, nowNanos);
        SweepPlanner planner = new SweepPlanner(seen, book, checks);
        Family.of(seen).forEach(planner::judge);
        planner.strangers();
        return new SweepPlan(planner.due, planner.findings, planner.again, book.done());
    }

    /**
     * While a shard cannot be read nobody knows who owns what, so nothing goes; a slot that is left elsewhere keeps its log meanwhile.
     *
     * @param readable the other shards
     * @param silent those that cannot be read
     */
    public static List<Finding> blind(LeftoverSight readable, Collection<String> silent) {
        return Family.of(readable).stream()
                .flatMap(family -> family.open().stream())
                .map(trace -> new Finding(
                        trace.shard(),
                        trace.slot()
                                        .map(slot -> "slot " + slot.name() + ", which keeps the log of shard "
                                                + trace.shard() + ", was left")
                                        .orElse("records on shard " + trace.shard() + " were left")
                                + " by move " + trace.move() + ", whose BucketMove is gone, and nothing is swept while "
                                + silent + " cannot be read",
                        "make it answer, or take it out of spec.shards of the ShardCluster when it is gone for good"))
                .toList();
    }

    private void judge(Family family) {
        for (Trace trace : family.spent()) {
            if (known(trace)) {
                findings.add(behindTombstone(trace));
            }
        }
        List<Trace> open = family.open();
        List<?> things = open.isEmpty() ? family.filled() : open;
        boolean probed = things.stream().map(this::known).reduce(true, Boolean::logicalAnd);
        if (things.isEmpty() || !probed || isBusy(family)) {
            return;
        }
        List<Finding> obstacles = checks.stream()
                .map(check -> check.apply(family))
                .filter(found -> !found.isEmpty())
                .findFirst()
                .orElse(List.of());
        findings.addAll(obstacles);
        if (family.isOfKeys() && obstacles.equals(SweepChecks.everyRecordIsUnderstood(family))) {
            idleSlots(open).forEach(trace -> due.add(sweep(family, trace)));
        }
        if (obstacles.isEmpty()) {
            next(family, open).forEach(trace -> due.add(sweep(family, trace)));
        }
    }

    /** They keep the log of their shards, and nobody will ever read them; with them the claim goes, so nobody fences there any more. */
    private static List<Trace> idleSlots(List<Trace> open) {
        return open.stream()
                .filter(trace -> trace.slot().filter(slot -> !slot.active()).isPresent())
                .filter(trace -> !trace.hasUndecidedKeys())
                .toList();
    }

    private boolean known(Object thing) {
        boolean known = book.note(thing);
        again |= !known;
        return known;
    }

    /** A move that lives is at work on one of its buckets: what is there now is about to change. */
    private boolean isBusy(Family family) {
        return family.buckets().stream()
                .anyMatch(bucket -> seen.rows(bucket).values().stream()
                        .filter(row -> row.moveId() != null && seen.isLive(row.moveId()))
                        .anyMatch(row -> row.state() == FenceState.IMPORTING
                                || row.state() != FenceState.OWNED
                                        && seen.owner(bucket).isEmpty()));
    }

    /** Of the reversal before the move, and where it could fence before where it could fill. */
    private static List<Trace> next(Family family, List<Trace> open) {
        List<Trace> back = open.stream()
                .filter(trace -> trace.move().equals(family.reversal()))
                .toList();
        List<Trace> those = back.isEmpty() ? open : back;
        List<Trace> sources = those.stream().filter(Trace::isSource).toList();
        return sources.isEmpty() ? those : sources;
    }

    private Sweep sweep(Family family, Trace trace) {
        if (trace.isSource()) {
            return new Sweep(trace, List.of(), new TreeSet<>(), behindMark(trace));
        }
        List<Swap> undone = new ArrayList<>();
        seen.fences().getOrDefault(trace.shard(), Map.of()).values().stream()
                .filter(row -> trace.move().equals(row.moveId()))
                .forEach(row -> next(family, row).ifPresent(to -> undone.add(new Swap(row, to))));
        SortedSet<Integer> emptied = new TreeSet<>(trace.rows());
        emptied.removeIf(bucket -> !seen.says(trace.shard(), bucket, FenceState.ABORTED, trace.move())
                && undone.stream()
                        .noneMatch(swap ->
                                swap.to().bucket() == bucket && swap.to().state() == FenceState.ABORTED));
        SortedSet<Integer> kept = behindMark(trace);
        undone.forEach(swap -> kept.remove(swap.from().bucket()));
        return new Sweep(trace, undone, emptied, kept);
    }

    /** Where the rows of a record lie behind a row of its own move that this sweep does not change. */
    private SortedSet<Integer> behindMark(Trace trace) {
        SortedSet<Integer> kept = new TreeSet<>(trace.rows());
        kept.removeIf(bucket -> !seen.says(trace.shard(), bucket, FenceState.MOVED, trace.move())
                && !seen.says(trace.shard(), bucket, FenceState.IMPORTING, trace.move()));
        return kept;
    }

    /** What a fence row of a move that is gone becomes; a target of a reversal has the rows of a tombstone. */
    private Optional<FenceRow> next(Family family, FenceRow row) {
        boolean back = row.moveId().equals(family.reversal());
        boolean open = row.state() == FenceState.IMPORTING || back && row.state() == FenceState.ABORTED;
        if (!open) {
            return Optional.empty();
        }
        return Optional.of(
                back
                        ? tombstone(family.move(), row)
                        : new FenceRow(row.bucket(), FenceState.ABORTED, row.epoch(), null, row.moveId()));
    }

    private FenceRow tombstone(UUID move, FenceRow row) {
        String owner = seen.owner(row.bucket()).orElseThrow();
        return new FenceRow(
                row.bucket(), FenceState.MOVED, seen.row(owner, row.bucket()).epoch(), owner, move);
    }

    private static Finding behindTombstone(Trace trace) {
        return new Finding(
                trace.shard(),
                "rows of buckets " + trace.rows() + " may lie behind their tombstones on shard " + trace.shard()
                        + ", left by move " + trace.move() + ", whose BucketMove is gone",
                "when no router reads them there any more, delete these rows and their records as"
                        + " docs/runbooks/ShardwrightLeftovers.md says; nothing moves these buckets back to "
                        + trace.shard() + " before");
    }

    private void strangers() {
        seen.strangers()
                .forEach((shard, slots) -> slots.forEach(slot -> {
                    if (!isOfALiveMove(slot) && known(shard + "/" + slot)) {
                        findings.add(new Finding(
                                shard,
                                "slot " + slot + " on shard " + shard
                                        + " has our prefix and no record; it keeps the log of the shard",
                                "if no other operator works on this database, drop it: SELECT pg_drop_replication_slot('"
                                        + slot + "')"));
                    }
                }));
    }

    private boolean isOfALiveMove(String slot) {
        return seen.live().stream()
                .anyMatch(move -> slot.contains(move.toString().replace("-", "")));
    }
}
