package io.shardwright.controllers.shardcluster;

import io.shardwright.dataplane.Placement;
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
    private final int buckets;
    private final SortedMap<String, Integer> weights;
    private final SortedMap<String, Noted> noted;
    private final SortedMap<String, Placement> found;
    private final SortedMap<Integer, SortedSet<String>> withRows = new TreeMap<>();
    private final SortedMap<Integer, SortedSet<String>> holders = new TreeMap<>();

    /**
     * What the fence of a shard says.
     *
     * @param owned buckets with an OWNED row
     * @param firstWrites buckets without a row that were written while the fence was not armed
     */
    record Noted(SortedSet<Integer> owned, SortedSet<Integer> firstWrites) {}

    /**
     * @param weights General shards by name; other shards of {@code found} must hold no rows
     * @param noted what the fences say, by shard; empty where there is none
     * @param found what a scan of every shard has found
     */
    Adoption(
            int buckets,
            SortedMap<String, Integer> weights,
            SortedMap<String, Noted> noted,
            SortedMap<String, Placement> found) {
        this.buckets = buckets;
        this.weights = weights;
        this.noted = noted;
        this.found = found;
        found.forEach((shard, placement) -> placement.rowsPerBucket().forEach((bucket, rows) -> {
            if (rows > 0) {
                add(withRows, bucket, shard);
                add(holders, bucket, shard);
            }
        }));
        noted.forEach((shard, says) -> {
            says.owned().forEach(bucket -> add(holders, bucket, shard));
            says.firstWrites().forEach(bucket -> add(holders, bucket, shard));
        });
    }

    private static void add(SortedMap<Integer, SortedSet<String>> map, int bucket, String shard) {
        map.computeIfAbsent(bucket, any -> new TreeSet<>()).add(shard);
    }

    sealed interface Verdict {}

    /** No bucket is in doubt. */
    record Clear() implements Verdict {}

    /** @param buckets by bucket, the shards that hold rows or say that they hold the bucket */
    record Misplaced(SortedMap<Integer, SortedSet<String>> buckets) implements Verdict {}

    record ReferencesDiffer(String message, String nextAction) implements Verdict {}

    /** @param buckets by shard, those that it says it holds while another shard has the rows, or says so with better reason */
    record Superfluous(SortedMap<String, SortedSet<Integer>> buckets) implements Verdict {}

    Verdict judge() {
        SortedMap<Integer, SortedSet<String>> misplaced = new TreeMap<>();
        SortedMap<String, SortedSet<Integer>> superfluous = new TreeMap<>();
        holders.forEach((bucket, shards) -> {
            SortedSet<String> rows = withRows.getOrDefault(bucket, new TreeSet<>());
            if (rows.size() > 1 || !weights.keySet().containsAll(shards)) {
                misplaced.put(bucket, shards);
                return;
            }
            String keeper = rows.isEmpty() ? likeliest(bucket, shards) : rows.first();
            shards.stream()
                    .filter(shard -> !shard.equals(keeper))
                    .forEach(shard -> superfluous
                            .computeIfAbsent(shard, any -> new TreeSet<>())
                            .add(bucket));
        });
        if (!misplaced.isEmpty()) {
            return new Misplaced(misplaced);
        }
        return references(found)
                .<Verdict>map(differ -> differ)
                .orElseGet(() -> superfluous.isEmpty() ? new Clear() : new Superfluous(superfluous));
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
                                + "; no routing table is published",
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

    /** A first write that is newer than the scan has its rows; the one that has none is released. */
    private String likeliest(int bucket, SortedSet<String> shards) {
        return shards.stream()
                .filter(shard -> noted.get(shard).firstWrites().contains(bucket))
                .findFirst()
                .orElseGet(shards::first);
    }

    private boolean isOwned(int bucket) {
        return noted.values().stream().anyMatch(says -> says.owned().contains(bucket));
    }

    /** By shard, the buckets whose rows were found there and nowhere else, that no fence row names yet. */
    SortedMap<String, SortedSet<Integer>> placed() {
        SortedMap<String, SortedSet<Integer>> placed = new TreeMap<>();
        withRows.forEach((bucket, shards) -> {
            if (shards.size() == 1 && holders.get(bucket).size() == 1 && !isOwned(bucket)) {
                placed.computeIfAbsent(shards.first(), any -> new TreeSet<>()).add(bucket);
            }
        });
        return placed;
    }

    /** By shard, the buckets that nobody holds, so that buckets lie by weight; for fences that are armed. */
    SortedMap<String, SortedSet<Integer>> spread() {
        SortedMap<String, Integer> counts = new TreeMap<>();
        weights.keySet().forEach(shard -> counts.put(shard, 0));
        holders.values().forEach(shards -> counts.merge(shards.first(), 1, Integer::sum));
        SortedMap<String, SortedSet<Integer>> spread = new TreeMap<>();
        for (int bucket = 0; bucket < buckets; bucket++) {
            if (!holders.containsKey(bucket)) {
                String owner = mostWanting(counts);
                counts.merge(owner, 1, Integer::sum);
                spread.computeIfAbsent(owner, any -> new TreeSet<>()).add(bucket);
            }
        }
        return spread;
    }

    /** The shard that is fullest after one more bucket, relative to its weight, the least; ties go to the first name. */
    private String mostWanting(SortedMap<String, Integer> counts) {
        String best = null;
        double least = Double.POSITIVE_INFINITY;
        for (Map.Entry<String, Integer> shard : weights.entrySet()) {
            double load = shard.getValue() == 0
                    ? Double.POSITIVE_INFINITY
                    : (counts.get(shard.getKey()) + 1.0) / shard.getValue();
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
