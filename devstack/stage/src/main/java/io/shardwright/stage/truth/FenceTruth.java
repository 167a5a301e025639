package io.shardwright.stage.truth;

import io.shardwright.servers.Eventually;
import io.shardwright.stage.shop.ShardDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/** Who owns which bucket, as the fence rows of all databases say; the highest truth there is. */
public final class FenceTruth {
    private static final String ROWS = """
            SELECT bucket, state, epoch, coalesce(owner, ''), coalesce(move_id::text, '')
            FROM shardwright.fence WHERE scope LIKE 'b:%' ORDER BY bucket""";

    private static final String OWNED_KEYS =
            "SELECT substr(scope, 3) FROM shardwright.fence WHERE scope LIKE 'k:%' AND state = 'OWNED'";
    private static final String KEY_ROWS =
            "SELECT scope, state FROM shardwright.fence WHERE scope LIKE 'k:%' ORDER BY scope";

    private final List<ShardDatabase> shards;

    public FenceTruth(List<ShardDatabase> shards) {
        this.shards = List.copyOf(shards);
    }

    /** One row of one database; texts are empty where the row has none. */
    public record Row(String shard, int bucket, String state, long epoch, String owner, String moveId) {}

    /** Every bucket row of every database that has a fence. */
    public List<Row> rows() {
        var rows = new ArrayList<Row>();
        for (var shard : shards) {
            if (hasFence(shard)) {
                shard.query(ROWS)
                        .forEach(row -> rows.add(new Row(
                                shard.name(),
                                Integer.parseInt(row.get(0)),
                                row.get(1),
                                Long.parseLong(row.get(2)),
                                row.get(3),
                                row.get(4))));
            }
        }
        return List.copyOf(rows);
    }

    private static boolean hasFence(ShardDatabase shard) {
        return shard.query("SELECT to_regclass('shardwright.fence') IS NOT NULL")
                .get(0)
                .get(0)
                .equals("t");
    }

    /** The buckets that each database says it owns, by shard; a shard without a bucket is there with an empty set. */
    public Map<String, TreeSet<Integer>> owned() {
        var owned = new TreeMap<String, TreeSet<Integer>>();
        shards.forEach(shard -> owned.put(shard.name(), new TreeSet<>()));
        rows().stream()
                .filter(row -> row.state().equals("OWNED"))
                .forEach(row -> owned.get(row.shard()).add(row.bucket()));
        return owned;
    }

    /** The keys that a shard owns by a row of their own, with that shard; "two" when several say so. */
    public Map<String, String> ownersOfKeys() {
        var owners = new TreeMap<String, String>();
        for (var shard : shards) {
            if (hasFence(shard)) {
                shard.query(OWNED_KEYS).forEach(row -> owners.merge(row.get(0), shard.name(), (one, other) -> "two"));
            }
        }
        return owners;
    }

    /** Rows of keys, of whatever state, by shard: {@code ds-0 k:42 MOVED}. */
    public List<String> keyRows() {
        var rows = new ArrayList<String>();
        for (var shard : shards) {
            if (hasFence(shard)) {
                shard.query(KEY_ROWS).forEach(row -> rows.add(shard.name() + " " + String.join(" ", row)));
            }
        }
        return List.copyOf(rows);
    }

    /** How many buckets each shard owns now that another one has given away: {@code {ds-0=5, ...}} by the giver. */
    public Map<String, Long> movedFrom() {
        return rows().stream()
                .filter(row -> row.state().equals("MOVED"))
                .collect(Collectors.groupingBy(Row::shard, TreeMap::new, Collectors.counting()));
    }

    /**
     * What a move may leave nowhere: slots, origins, cleanup records, sessions, rows of buckets that are not owned here. A
     * server ends a session a moment after its client has gone, so what is found is looked for again until the limit.
     */
    public List<String> leftovers(String database, Duration limit) {
        var found = new AtomicReference<>(List.<String>of());
        try {
            Eventually.until(
                    "nothing to be left",
                    limit,
                    () -> {
                        found.set(leftovers(database));
                        return found.get().isEmpty();
                    },
                    () -> String.join("\n", found.get()));
        } catch (Eventually.NotInTimeException stillThere) {
            return found.get();
        }
        return List.of();
    }

    private List<String> leftovers(String database) {
        var found = new ArrayList<String>();
        for (var shard : shards) {
            for (var query : Leftovers.queries(hasFence(shard), database)) {
                shard.query(query).forEach(row -> found.add(shard.name() + ": " + String.join(" ", row)));
            }
        }
        return List.copyOf(found);
    }
}
