package io.shardwright.controllers.shardcluster;

import io.shardwright.controllers.access.ClusterSchemas;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Reason;
import io.shardwright.crds.shardcluster.Shard;
import io.shardwright.crds.shardcluster.ShardClusterSpec;
import io.shardwright.dataplane.Placement;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.planning.table.Ownership;
import io.shardwright.routing.FenceRow;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Decides what the fences of usable shards need: nothing while ownership is unclear, adoption where no fence row names an
 * owner and no table was ever written, installation on new shards that hold no rows, renewal when no move is at work.
 */
final class FencePlanner {
    private final ClusterObservation seen;
    private final ShardClusterSpec spec;

    FencePlanner(ClusterObservation seen) {
        this.seen = seen;
        this.spec = seen.cluster().getSpec();
    }

    ClusterPlan.Decision plan() {
        SortedMap<String, Map<Integer, FenceRow>> fences = new TreeMap<>();
        seen.sight().orElseThrow().shards().forEach((shard, sight) -> fences.put(shard, sight.fence()));
        Ownership truth = Ownership.of(spec.sharding().buckets(), fences);
        SortedSet<Integer> unguarded = new TreeSet<>(truth.ownerless());
        unguarded.removeIf(bucket -> fences.values().stream().anyMatch(rows -> rows.containsKey(bucket)));
        return contested(truth)
                .or(() -> orphaned(truth, unguarded))
                .or(() -> unguarded.isEmpty() ? Optional.empty() : Optional.of(adopt(truth, unguarded)))
                .or(this::install)
                .orElseGet(ClusterPlan.Guarded::new);
    }

    private Optional<ClusterPlan.Decision> contested(Ownership truth) {
        SortedSet<Integer> contested = new TreeSet<>(truth.contested().keySet());
        contested.removeAll(seen.moving());
        return contested.isEmpty()
                ? Optional.empty()
                : unknown("bucket " + contested.first() + " is owned by "
                        + String.join(" and ", truth.contested().get(contested.first()))
                        + more(contested.size()) + "; these buckets are frozen for moves");
    }

    private Optional<ClusterPlan.Decision> orphaned(Ownership truth, SortedSet<Integer> unguarded) {
        SortedSet<Integer> orphaned = new TreeSet<>(truth.ownerless());
        orphaned.removeAll(unguarded);
        orphaned.removeAll(seen.moving());
        return orphaned.isEmpty()
                ? Optional.empty()
                : unknown("bucket " + orphaned.first() + " has fence rows and no owner" + more(orphaned.size())
                        + ", and no move is at work on it");
    }

    private static String more(int count) {
        return count > 1 ? " (and " + (count - 1) + " more like it)" : "";
    }

    private static Optional<ClusterPlan.Decision> unknown(String message) {
        return ClusterChecks.refuse(
                ConditionType.FENCE_INSTALLED,
                Reason.OWNERSHIP_UNKNOWN,
                message,
                "compare the rows of the bucket on both shards, then correct the fence row of the one that is behind");
    }

    private ClusterPlan.Decision adopt(Ownership truth, SortedSet<Integer> unguarded) {
        if (seen.table().isPresent()) {
            return unknown("bucket " + unguarded.first() + " has no fence row on any shard" + more(unguarded.size())
                            + ", but the table of revision "
                            + seen.table().get().order().revision()
                            + " names its owner: a shard may have been restored")
                    .orElseThrow();
        }
        SortedSet<String> all =
                new TreeSet<>(seen.sight().orElseThrow().shards().keySet());
        Optional<Scans.Scan> scan = scanOf(all);
        if (scan.isEmpty()) {
            return new ClusterPlan.Scan(all, ClusterPlanner.doing(ClusterStep.SCAN));
        }
        SortedMap<String, Integer> weights = new TreeMap<>();
        spec.shards().stream()
                .filter(shard -> shard.role() == Shard.Role.GENERAL)
                .forEach(shard -> weights.put(shard.name(), shard.weight()));
        SortedMap<Integer, String> fenced = new TreeMap<>();
        truth.owners().forEach((bucket, owner) -> fenced.put(bucket, owner.shard()));
        Adoption.Verdict verdict = new Adoption(
                        ClusterSchemas.bucketing(spec),
                        ClusterSchemas.keyType(spec),
                        weights,
                        fenced,
                        scan.get().placements())
                .judge();
        return switch (verdict) {
            case Adoption.Adoptable found ->
                new ClusterPlan.Adopt(found.owners(), ClusterPlanner.doing(ClusterStep.ADOPT));
            case Adoption.Misplaced misplaced ->
                new ClusterPlan.Refuse(
                        ConditionType.FENCE_INSTALLED,
                        Reason.MISPLACED_KEYS,
                        misplaced.message(),
                        misplaced.nextAction());
            case Adoption.ReferencesDiffer differ ->
                new ClusterPlan.Refuse(
                        ConditionType.FENCE_INSTALLED,
                        Reason.REFERENCE_TABLES_DIFFER,
                        differ.message(),
                        differ.nextAction());
        };
    }

    private Optional<Scans.Scan> scanOf(SortedSet<String> shards) {
        return seen.scan().filter(scan -> scan.placements().keySet().containsAll(shards));
    }

    /** Fences of new shards, older fences, damaged fences. A new shard with rows would bring keys that others own. */
    private Optional<ClusterPlan.Decision> install() {
        SortedMap<String, ShardSight> sights = seen.sight().orElseThrow().shards();
        SortedSet<String> missing = names(sights, sight -> sight.fenceVersion() == 0);
        SortedSet<String> behind = names(
                sights,
                sight -> sight.fenceVersion() > 0 && (sight.fenceVersion() < seen.fenceVersion() || !sight.usable()));
        if (!missing.isEmpty()) {
            SortedSet<String> scanned =
                    spec.sharding().referenceTables().isEmpty() ? missing : new TreeSet<>(sights.keySet());
            Optional<Scans.Scan> scan = scanOf(scanned);
            if (scan.isEmpty()) {
                return Optional.of(new ClusterPlan.Scan(scanned, ClusterPlanner.doing(ClusterStep.SCAN)));
            }
            return foreign(missing, scan.get())
                    .or(() -> references(scan.get()))
                    .or(() -> Optional.of(
                            new ClusterPlan.InstallFence(missing, ClusterPlanner.doing(ClusterStep.INSTALL_FENCE))));
        }
        if (behind.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                seen.moves().isEmpty()
                        ? new ClusterPlan.InstallFence(behind, ClusterPlanner.doing(ClusterStep.INSTALL_FENCE))
                        : new ClusterPlan.Wait(
                                Reason.INSTALLING, "the fence of " + behind + " is renewed when no move is at work"));
    }

    private static SortedSet<String> names(SortedMap<String, ShardSight> sights, Predicate<ShardSight> wanted) {
        return sights.values().stream()
                .filter(wanted)
                .map(ShardSight::shard)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Optional<ClusterPlan.Decision> foreign(SortedSet<String> missing, Scans.Scan scan) {
        for (String shard : missing) {
            Placement placement = scan.placements().get(shard);
            long rows = placement.rowsPerBucket().values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            if (rows > 0) {
                int bucket = new TreeMap<>(placement.rowsPerBucket()).firstKey();
                return ClusterChecks.refuse(
                        ConditionType.FENCE_INSTALLED,
                        Reason.MISPLACED_KEYS,
                        "the new shard " + shard + " holds " + rows + " rows of "
                                + placement.rowsPerBucket().size()
                                + " buckets that other shards own, for instance bucket " + bucket + " (keys "
                                + String.join(", ", placement.exampleKeys().getOrDefault(bucket, List.of()))
                                + "); nothing was installed there and no row was touched",
                        "look at these rows and remove them from " + shard + ", or use an empty database");
            }
        }
        return Optional.empty();
    }

    private static Optional<ClusterPlan.Decision> references(Scans.Scan scan) {
        return Adoption.references(scan.placements())
                .flatMap(differ -> ClusterChecks.refuse(
                        ConditionType.FENCE_INSTALLED,
                        Reason.REFERENCE_TABLES_DIFFER,
                        differ.message(),
                        differ.nextAction()));
    }
}
