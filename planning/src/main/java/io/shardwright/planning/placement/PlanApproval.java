package io.shardwright.planning.placement;

import io.shardwright.routing.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Whether an approval covers what would be done now. An approval is of one hash, so of exactly one set of inputs; it stays
 * good while nothing but the moves that it allowed has changed them.
 */
public final class PlanApproval {
    private static final int MOST_CHANGES = 4;

    private PlanApproval() {}

    public sealed interface Verdict {}

    /** The approved plan is the plan: create its moves. */
    public record Approved() implements Verdict {}

    /** Nobody has approved this plan. */
    public record AwaitingApproval(String hash) implements Verdict {}

    /** The approved moves are on their way, or done; only they have changed the inputs. */
    public record InProgress(String hash) implements Verdict {}

    /** @param changed what differs from what was approved, and what to do */
    public record Void(String changed) implements Verdict {}

    /**
     * Compares an approval with the inputs of now.
     *
     * @param approvedHash empty when nothing is approved
     * @param current inputs of now
     * @param approvedMoves the moves that were created under this hash, from their objects; empty before that
     * @param approvedInputs the inputs that were approved, when they are still known; they only make the message precise
     */
    public static Verdict judge(
            String approvedHash, PlanInputs current, List<Batch> approvedMoves, Optional<PlanInputs> approvedInputs) {
        String hash = PlanHash.of(current);
        if (approvedHash.isEmpty()) {
            return new AwaitingApproval(hash);
        }
        if (!approvedMoves.isEmpty()
                && PlanHash.of(undone(current, approvedMoves)).equals(approvedHash)) {
            return new InProgress(approvedHash);
        }
        if (approvedHash.equals(hash)) {
            return new Approved();
        }
        if (!approvedMoves.isEmpty() && done(current, approvedMoves)) {
            return new AwaitingApproval(hash);
        }
        return new Void(changed(approvedInputs, undone(current, approvedMoves))
                + ": look at the new plan and approve its hash " + hash);
    }

    /** The inputs as they were before the buckets and keys that have arrived. */
    private static PlanInputs undone(PlanInputs current, List<Batch> moves) {
        SortedMap<Scope, String> back = new TreeMap<>();
        for (Batch move : moves) {
            move.scopes().stream()
                    .filter(scope -> arrived(current, scope, move))
                    .forEach(scope -> back.put(scope, move.from()));
        }
        return current.withOwners(back);
    }

    /** All has arrived: the approval was used up, and what has changed since asks for a new one. */
    private static boolean done(PlanInputs current, List<Batch> moves) {
        return moves.stream().allMatch(move -> move.scopes().stream().allMatch(scope -> arrived(current, scope, move)));
    }

    private static boolean arrived(PlanInputs current, Scope scope, Batch move) {
        return current.owner(scope).filter(move.to()::equals).isPresent();
    }

    private static String changed(Optional<PlanInputs> approved, PlanInputs now) {
        List<String> changes = approved.map(before -> differences(before, now)).orElse(List.of());
        return changes.isEmpty()
                ? "the approved hash is of no plan for the present shards, weights, owners and pins"
                : "since the approval " + String.join(", ", changes);
    }

    private static List<String> differences(PlanInputs before, PlanInputs now) {
        List<String> changes = new ArrayList<>();
        differences("shard", before.shards(), now.shards(), changes);
        differences("bucket", ownersByBucket(before), ownersByBucket(now), changes);
        differences("pin", before.pins(), now.pins(), changes);
        differences("the shard of key", before.pinned(), now.pinned(), changes);
        if (changes.size() <= MOST_CHANGES) {
            return changes;
        }
        List<String> first = new ArrayList<>(changes.subList(0, MOST_CHANGES));
        first.add("and " + (changes.size() - MOST_CHANGES) + " more changes");
        return first;
    }

    private static <K, T> void differences(
            String what, SortedMap<K, T> before, SortedMap<K, T> now, List<String> changes) {
        before.forEach((name, value) -> {
            T next = now.get(name);
            if (next == null) {
                changes.add(what + " " + name + " was removed");
            } else if (!next.equals(value)) {
                changes.add(what + " " + name + " changed from " + words(value) + " to " + words(next));
            }
        });
        now.forEach((name, value) -> {
            if (!before.containsKey(name)) {
                changes.add(what + " " + name + " was added");
            }
        });
    }

    private static String words(Object value) {
        return value instanceof PlanInputs.Shard shard
                ? shard.role().wire() + " weight " + shard.weight()
                : value.toString();
    }

    private static SortedMap<Integer, String> ownersByBucket(PlanInputs inputs) {
        SortedMap<Integer, String> owners = new TreeMap<>();
        List<String> values = inputs.owners().values();
        for (int bucket = 0; bucket < values.size(); bucket++) {
            owners.put(bucket, values.get(bucket));
        }
        return owners;
    }
}
