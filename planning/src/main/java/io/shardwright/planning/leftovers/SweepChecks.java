package io.shardwright.planning.leftovers;

import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Why nothing of a move that is gone may be swept, in the order in which people are told. */
final class SweepChecks {
    static final List<Function<Family, List<Finding>>> ALL = List.of(
            SweepChecks::whatWasDemotedIsCompared,
            SweepChecks::everyRecordIsUnderstood,
            SweepChecks::everyBucketHasOneOwner,
            SweepChecks::ownersAreTheNewest,
            SweepChecks::noSlotIsRead,
            SweepChecks::whatIsFilledIsRecorded);

    private SweepChecks() {}

    /** Rows that only the older of two owners has; its move waited for a person, too. */
    static List<Finding> whatWasDemotedIsCompared(Family family) {
        return family.open().stream()
                .filter(trace -> !trace.demoted().isEmpty())
                .map(trace -> new Finding(
                        trace.shard(),
                        "shard " + trace.shard() + " was closed as the older of two owners of buckets "
                                + trace.demoted() + " by move " + family.move()
                                + ", whose BucketMove is gone, and may have rows that no other shard has",
                        "compare them and remove the record as docs/runbooks/ShardwrightTwoOwners.md says; what the move has"
                                + " left is swept after that"))
                .toList();
    }

    /** Nor are those of keys, whose fence rows are not among what is looked at here. */
    static List<Finding> everyRecordIsUnderstood(Family family) {
        return family.open().stream()
                .filter(trace -> !trace.unknown().isEmpty())
                .map(trace -> new Finding(
                        trace.shard(),
                        "records " + trace.unknown() + gone(family) + " on shard " + trace.shard()
                                + (trace.isOfKeys()
                                        ? " are of keys, which are not swept"
                                        : " are of a kind that this version does not know"),
                        trace.isOfKeys()
                                ? "decide by hand what becomes of these keys, and remove the records, as"
                                        + " docs/runbooks/ShardwrightLeftovers.md says; nothing moves them or their buckets"
                                        + " before"
                                : "let the newer version of the operator that wrote them remove them"))
                .toList();
    }

    /** A bucket without one is decided by these very traces. */
    static List<Finding> everyBucketHasOneOwner(Family family) {
        List<Finding> findings = new ArrayList<>();
        for (int bucket : family.buckets()) {
            if (family.seen().owner(bucket).isEmpty()) {
                SortedMap<String, FenceRow> rows = family.seen().rows(bucket);
                boolean contested = rows.values().stream().anyMatch(row -> row.state() == FenceState.OWNED);
                findings.add(new Finding(
                        rows.isEmpty() ? family.open().getFirst().shard() : rows.firstKey(),
                        "bucket " + bucket + " has " + (contested ? "several owners" : "no owner") + " (" + text(rows)
                                + "), and the BucketMove of move " + family.move() + " is gone, so nobody decides",
                        "decide by hand as docs/runbooks/"
                                + (contested ? "ShardwrightTwoOwners.md" : "ShardwrightBucketWithoutOwner.md")
                                + " says; what the move has left is swept after that"));
            }
        }
        return findings;
    }

    /** Epochs only grow: what is being filled behind a newer owner can never become one. */
    static List<Finding> ownersAreTheNewest(Family family) {
        return family.filled().stream()
                .filter(one -> {
                    FenceRow row = one.getValue();
                    return family.seen()
                            .owner(row.bucket())
                            .filter(owner ->
                                    family.seen().row(owner, row.bucket()).epoch() < row.epoch())
                            .isPresent();
                })
                .map(one -> new Finding(
                        one.getKey(),
                        "bucket " + one.getValue().bucket() + ": the owner's epoch is below that of what was left ("
                                + text(family.seen().rows(one.getValue().bucket())) + ")",
                        "compare the rows of the bucket on these shards: a shard may have been restored"))
                .toList();
    }

    static List<Finding> noSlotIsRead(Family family) {
        return family.open().stream()
                .filter(trace -> trace.slot().filter(Trace.Slot::active).isPresent())
                .map(trace -> new Finding(
                        trace.shard(),
                        "slot " + trace.slot().orElseThrow().name() + gone(family) + " on shard " + trace.shard()
                                + " is being read by somebody",
                        "find out who reads it (active_pid in pg_replication_slots), and end it if nobody needs it;"
                                + " the slot is swept when nobody reads it"))
                .toList();
    }

    static List<Finding> whatIsFilledIsRecorded(Family family) {
        return family.filled().stream()
                .filter(one -> !family.hasRecorded(one.getKey(), one.getValue()))
                .map(one -> new Finding(
                        one.getKey(),
                        "bucket " + one.getValue().bucket() + " is IMPORTING on shard " + one.getKey() + gone(family)
                                + ", and no record says so",
                        "compare the rows of the bucket with those of its owner, delete them here, and set this fence row to"
                                + " ABORTED"))
                .toList();
    }

    private static String gone(Family family) {
        return " of move " + family.move() + ", whose BucketMove is gone,";
    }

    private static String text(SortedMap<String, FenceRow> rows) {
        return rows.entrySet().stream()
                .map(one -> one.getKey() + ": " + one.getValue().state() + " epoch "
                        + one.getValue().epoch()
                        + (one.getValue().state() == FenceState.MOVED
                                ? " to " + one.getValue().owner()
                                : ""))
                .collect(Collectors.joining(", "));
    }
}
