package io.shardwright.controllers.shardcluster;

import io.shardwright.dataplane.Placement;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Judges where data lies before ownership is written. A bucket that is found on exactly one shard belongs there, empty
 * buckets are spread by weight. What is ambiguous is never decided here: it is counted, shown, and left to people.
 */
final class Adoption {
    private static final int EXAMPLES = 10;

    private final Bucketing bucketing;
    private final KeyType keyType;
    private final SortedMap<String, Integer> weights;
    private final Map<Integer, String> fenced;
    private final SortedMap<String, Placement> found;

    /**
     * @param weights General shards by name; other shards of {@code found} must hold no rows
     * @param fenced owners that fence rows already name (an adoption that was interrupted)
     * @param found what a scan of every shard has found
     */
    Adoption(
            Bucketing bucketing,
            KeyType keyType,
            SortedMap<String, Integer> weights,
            Map<Integer, String> fenced,
            SortedMap<String, Placement> found) {
        this.bucketing = bucketing;
        this.keyType = keyType;
        this.weights = weights;
        this.fenced = fenced;
        this.found = found;
    }

    sealed interface Verdict {}

    /** @param owners the buckets to adopt, by shard; every bucket that no fence row names yet */
    record Adoptable(SortedMap<String, SortedSet<Integer>> owners) implements Verdict {}

    /** @param message counts per shard and bucket with example keys */
    record Misplaced(String message, String nextAction) implements Verdict {}

    record ReferencesDiffer(String message, String nextAction) implements Verdict {}

    Verdict judge() {
        SortedMap<Integer, SortedSet<String>> holders = holders();
        List<Integer> misplaced = holders.entrySet().stream()
                .filter(entry -> isMisplaced(entry.getValue()))
                .map(Map.Entry::getKey)
                .toList();
        if (!misplaced.isEmpty()) {
            return new Misplaced(describe(misplaced, holders), advice());
        }
        return references(found).<Verdict>map(differ -> differ).orElseGet(() -> new Adoptable(owners(holders)));
    }

    /** Reference tables have the same content everywhere, or nothing is installed. */
    static Optional<ReferencesDiffer> references(SortedMap<String, Placement> found) {
        SortedSet<String> tables = found.values().stream()
                .map(Placement::referenceChecksums)
                .map(Map::keySet)
                .flatMap(Collection::stream)
                .collect(Collectors.toCollection(TreeSet::new));
        List<String> differing = tables.stream()
                .map(table -> sharers(table, found))
                .flatMap(Optional::stream)
                .toList();
        return differing.isEmpty()
                ? Optional.empty()
                : Optional.of(new ReferencesDiffer(
                        "reference tables differ between shards: " + String.join("; ", differing)
                                + "; nothing was installed",
                        "bring these tables to the same content on every shard"));
    }

    /** The shards of a table by equal content; empty when all are equal. */
    private static Optional<String> sharers(String table, SortedMap<String, Placement> found) {
        SortedMap<String, List<String>> sharers = new TreeMap<>();
        found.forEach((shard, placement) -> sharers.computeIfAbsent(
                        placement.referenceChecksums().getOrDefault(table, "missing"), any -> new ArrayList<>())
                .add(shard));
        return sharers.size() < 2
                ? Optional.empty()
                : Optional.of(table + " ("
                        + sharers.values().stream().map(Object::toString).collect(Collectors.joining(" against "))
                        + ")");
    }

    /** Shards by bucket that hold rows of it, or own it by a fence row. */
    private SortedMap<Integer, SortedSet<String>> holders() {
        SortedMap<Integer, SortedSet<String>> holders = new TreeMap<>();
        fenced.forEach((bucket, shard) ->
                holders.computeIfAbsent(bucket, any -> new TreeSet<>()).add(shard));
        found.forEach((shard, placement) -> placement.rowsPerBucket().forEach((bucket, rows) -> {
            if (rows > 0) {
                holders.computeIfAbsent(bucket, any -> new TreeSet<>()).add(shard);
            }
        }));
        return holders;
    }

    private boolean isMisplaced(SortedSet<String> holders) {
        return holders.size() > 1 || !weights.containsKey(holders.first());
    }

    private String describe(List<Integer> misplaced, SortedMap<Integer, SortedSet<String>> holders) {
        List<String> lines = new ArrayList<>();
        int examples = 0;
        for (int bucket : misplaced) {
            List<String> shards = new ArrayList<>();
            for (String shard : holders.get(bucket)) {
                List<String> keys = examples(shard, bucket, EXAMPLES - examples);
                examples += keys.size();
                shards.add(shard + " " + rows(shard, bucket) + " rows"
                        + (keys.isEmpty() ? "" : " (keys " + String.join(", ", keys) + ")"));
            }
            lines.add("bucket " + bucket + ": " + String.join(", ", shards));
            if (examples >= EXAMPLES || lines.size() == EXAMPLES) {
                break;
            }
        }
        String rest =
                misplaced.size() > lines.size() ? "; and " + (misplaced.size() - lines.size()) + " more buckets" : "";
        return misplaced.size() + " of " + bucketing.buckets()
                + " buckets have rows on more than one shard, or on a shard that takes no buckets: "
                + String.join("; ", lines) + rest + "; nothing was installed and no row was touched";
    }

    private List<String> examples(String shard, int bucket, int limit) {
        Placement placement = found.get(shard);
        return placement == null
                ? List.of()
                : placement.exampleKeys().getOrDefault(bucket, List.of()).stream()
                        .limit(Math.min(limit, 3))
                        .toList();
    }

    private String rows(String shard, int bucket) {
        Placement placement = found.get(shard);
        return placement == null ? "fenced," : placement.rowsPerBucket().getOrDefault(bucket, 0L) + "";
    }

    private String advice() {
        if (bucketing.hash() == HashFunction.MD5 && keyType == KeyType.INT64 && moduloFits()) {
            return "the data fits hash: Modulo with buckets: " + bucketing.buckets()
                    + " as it lies: create the ShardCluster anew with these, or bring each bucket's rows to one shard";
        }
        return "bring the rows of each bucket to one shard (they are never deleted or overwritten here), or choose buckets"
                + " and hash that fit the data as it lies";
    }

    private boolean moduloFits() {
        SortedMap<Integer, String> owner = new TreeMap<>();
        boolean[] fits = {true};
        found.forEach((shard, placement) -> placement.rowsPerModulo().forEach((bucket, rows) -> {
            if (rows > 0) {
                String other = owner.putIfAbsent(bucket, shard);
                fits[0] &= (other == null || other.equals(shard)) && weights.containsKey(shard);
            }
        }));
        return fits[0] && !owner.isEmpty();
    }

    private SortedMap<String, SortedSet<Integer>> owners(SortedMap<Integer, SortedSet<String>> holders) {
        SortedMap<String, SortedSet<Integer>> wanted = new TreeMap<>();
        SortedMap<String, Integer> counts = new TreeMap<>();
        weights.keySet().forEach(shard -> counts.put(shard, 0));
        holders.values().forEach(shards -> counts.merge(shards.first(), 1, Integer::sum));
        for (int bucket = 0; bucket < bucketing.buckets(); bucket++) {
            String owner = holders.containsKey(bucket) ? holders.get(bucket).first() : mostWanting(counts);
            if (!holders.containsKey(bucket)) {
                counts.merge(owner, 1, Integer::sum);
            }
            if (!fenced.containsKey(bucket)) {
                wanted.computeIfAbsent(owner, any -> new TreeSet<>()).add(bucket);
            }
        }
        return wanted;
    }

    /** The shard that is fullest after one more bucket, relative to its weight, the least; ties go to the first name. */
    private String mostWanting(SortedMap<String, Integer> counts) {
        String best = null;
        double least = Double.POSITIVE_INFINITY;
        for (Map.Entry<String, Integer> shard : counts.entrySet()) {
            int weight = weights.get(shard.getKey());
            double load = weight == 0 ? Double.POSITIVE_INFINITY : (shard.getValue() + 1.0) / weight;
            if (load < least) {
                least = load;
                best = shard.getKey();
            }
        }
        if (best == null) {
            throw new IllegalStateException("admission asks for a General shard with a weight above 0");
        }
        return best;
    }
}
