package io.shardwright.controllers.shardcluster;

import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Reason;
import io.shardwright.crds.shardcluster.Shard;
import io.shardwright.crds.shardcluster.ShardClusterSpec;
import io.shardwright.dataplane.Placement;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.meaning.Clusters;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.table.Ownership;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.time.Duration;
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
 * Decides what the fences of usable shards need: nothing while ownership is unclear, adoption where no table was ever written
 * and a bucket has no owner or a fence is not armed, installation on new shards that hold no rows, renewal when no move is
 * switching.
 */
final class FencePlanner {
    /** How old a scan may be that was made without a fence. */
    private static final Duration FRESH = Duration.ofMinutes(1);

    private final ClusterObservation seen;
    private final ShardClusterSpec spec;
    private final SortedMap<String, ShardSight> sights;

    FencePlanner(ClusterObservation seen) {
        this.seen = seen;
        this.spec = seen.cluster().getSpec();
        this.sights = seen.sight().orElseThrow().shards();
    }

    ClusterPlan.Decision plan() {
        SortedMap<String, Map<Integer, FenceRow>> fences = new TreeMap<>();
        SortedMap<String, Map<Scope, FenceRow>> keys = new TreeMap<>();
        sights.forEach((shard, sight) -> {
            fences.put(shard, sight.fence());
            keys.put(shard, sight.keys());
        });
        Ownership truth = Ownership.of(spec.sharding().buckets(), fences, keys);
        SortedSet<Integer> unguarded = new TreeSet<>(truth.ownerless());
        unguarded.removeIf(bucket -> fences.values().stream().anyMatch(rows -> rows.containsKey(bucket)));
        return contested(truth)
                .or(() -> orphaned(truth, unguarded))
                .or(() -> doubtfulKey(truth))
                .or(() -> seen.table().isPresent() ? lost(unguarded) : adopt(truth, unguarded))
                .or(this::install)
                .orElseGet(ClusterPlan.Guarded::new);
    }

    private Optional<ClusterPlan.Decision> contested(Ownership truth) {
        SortedSet<Integer> contested = new TreeSet<>(truth.contested().keySet());
        contested.removeAll(seen.moving());
        if (seen.table().isEmpty()) {
            // first writes on two shards: no move has ever been there, so the rows decide
            contested.removeIf(bucket -> truth.contested().get(bucket).stream()
                    .allMatch(shard -> sights.get(shard).fence().get(bucket).epoch() == 1));
        }
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
        if (orphaned.isEmpty()) {
            return Optional.empty();
        }
        String others =
                orphaned.size() == 1 ? "" : "; the same holds for buckets " + orphaned.tailSet(orphaned.first() + 1);
        return ClusterChecks.refuse(
                ConditionType.FENCE_INSTALLED,
                Reason.OWNERSHIP_UNKNOWN,
                "bucket " + orphaned.first() + " has fence rows and no owner (" + rows(orphaned.first())
                        + "), and no move is at work on it" + others,
                "make the right shard its owner as docs/runbooks/ShardwrightBucketWithoutOwner.md says;"
                        + " its writes are refused until then");
    }

    /** Named by its bucket: somebody may want keys to be read by nobody. */
    private Optional<ClusterPlan.Decision> doubtfulKey(Ownership truth) {
        SortedSet<Scope> doubtful = new TreeSet<>(truth.contestedKeys());
        doubtful.addAll(truth.ownerlessKeys());
        doubtful.removeIf(
                key -> seen.movingScopes().contains(key) || seen.moving().contains(key.bucket()));
        return doubtful.isEmpty()
                ? Optional.empty()
                : ClusterChecks.refuse(
                        ConditionType.FENCE_INSTALLED,
                        Reason.OWNERSHIP_UNKNOWN,
                        "a key of bucket " + doubtful.first().bucket() + " has fence rows of its own and "
                                + (truth.contestedKeys().contains(doubtful.first()) ? "two owners" : "no owner")
                                + ", and no move is at work on it" + more(doubtful.size()),
                        "look at the rows of shardwright.fence with this bucket and a scope like k:% on every shard, and make"
                                + " the right shard its owner as docs/runbooks/ShardwrightBucketWithoutOwner.md says");
    }

    private String rows(int bucket) {
        return sights.values().stream()
                .filter(sight -> sight.fence().containsKey(bucket))
                .map(sight -> {
                    FenceRow row = sight.fence().get(bucket);
                    String to = row.state() == FenceState.MOVED ? " to " + row.owner() : "";
                    String by = row.moveId() == null ? "" : " by move " + row.moveId();
                    return sight.shard() + ": " + row.state() + " epoch " + row.epoch() + to + by;
                })
                .collect(Collectors.joining(", "));
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

    private Optional<ClusterPlan.Decision> lost(SortedSet<Integer> unguarded) {
        return unguarded.isEmpty()
                ? Optional.empty()
                : unknown("bucket " + unguarded.first() + " has no fence row on any shard" + more(unguarded.size())
                        + ", but the table of revision "
                        + seen.table().orElseThrow().order().revision()
                        + " names its owner: a shard may have been restored");
    }

    /** Each step leaves its trace in the databases, so whoever comes next goes on where the last one stopped. */
    private Optional<ClusterPlan.Decision> adopt(Ownership truth, SortedSet<Integer> unguarded) {
        SortedSet<String> unarmed = names(sight -> !sight.armed());
        boolean unfinished = sights.values().stream().anyMatch(sight -> sight.fenceVersion() > 0 && !sight.armed());
        if (unguarded.isEmpty() && truth.contested().isEmpty() && !unfinished) {
            return Optional.empty();
        }
        SortedSet<String> all = new TreeSet<>(sights.keySet());
        SortedSet<String> unprepared = names(sight -> sight.fenceVersion() < seen.fenceVersion());
        SortedSet<String> damaged = names(sight -> !sight.usable());
        Optional<Scans.Scan> scan = scanOf(all);
        if (unprepared.isEmpty() && !damaged.isEmpty()) {
            return Optional.of(new ClusterPlan.InstallFence(damaged, ClusterPlanner.doing(ClusterStep.INSTALL_FENCE)));
        }
        if (scan.isEmpty() || unprepared.isEmpty() && !scan.get().guarded()) {
            return scan(all);
        }
        Adoption adoption = new Adoption(
                spec.sharding().buckets(), takers(), noted(), scan.get().placements());
        Adoption.Verdict verdict = adoption.judge();
        if (!unprepared.isEmpty()) {
            return refusal(verdict, scan.get())
                    .or(() -> isOld(scan.get()) ? scan(all) : Optional.empty())
                    .or(() -> step(ClusterStep.PREPARE, unprepared, adoption.placed()));
        }
        // empty buckets come first: nobody's doubt about another bucket keeps them refused
        return (unarmed.isEmpty() ? step(ClusterStep.ADOPT, adoption.spread()) : Optional.<ClusterPlan.Decision>empty())
                .or(() -> refusal(verdict, scan.get()))
                .or(() -> superfluous(verdict))
                .or(() -> step(ClusterStep.ADOPT, adoption.placed()))
                .or(() -> step(ClusterStep.ARM, unarmed, new TreeMap<>()));
    }

    private static Optional<ClusterPlan.Decision> scan(SortedSet<String> shards) {
        return Optional.of(new ClusterPlan.Scan(shards, ClusterPlanner.doing(ClusterStep.SCAN)));
    }

    /** Nothing when there is no shard to do it on. */
    private static Optional<ClusterPlan.Decision> step(
            ClusterStep step, SortedMap<String, SortedSet<Integer>> buckets) {
        return buckets.isEmpty() ? Optional.empty() : Optional.of(new ClusterPlan.Adopt(step, buckets));
    }

    private static Optional<ClusterPlan.Decision> step(
            ClusterStep step, SortedSet<String> shards, SortedMap<String, SortedSet<Integer>> buckets) {
        SortedMap<String, SortedSet<Integer>> every = new TreeMap<>();
        shards.forEach(shard -> every.put(shard, buckets.getOrDefault(shard, new TreeSet<>())));
        return step(step, every);
    }

    private static Optional<ClusterPlan.Decision> superfluous(Adoption.Verdict verdict) {
        return verdict instanceof Adoption.Superfluous said
                ? step(ClusterStep.RELEASE, said.buckets())
                : Optional.empty();
    }

    private Optional<ClusterPlan.Decision> refusal(Adoption.Verdict verdict, Scans.Scan scan) {
        return switch (verdict) {
            case Adoption.Misplaced misplaced ->
                Optional.of(new Misplacement(
                                Clusters.bucketing(spec), Clusters.keyType(spec), takers().keySet(), scan.placements())
                        .refuse(
                                misplaced.buckets(),
                                sights.values().stream().anyMatch(sight -> sight.fenceVersion() > 0)));
            case Adoption.ReferencesDiffer differ ->
                ClusterChecks.refuse(
                        ConditionType.FENCE_INSTALLED,
                        Reason.REFERENCE_TABLES_DIFFER,
                        differ.message(),
                        differ.nextAction());
            case Adoption.Superfluous said -> Optional.empty();
            case Adoption.Clear clear -> Optional.empty();
        };
    }

    /** Weights of the shards that take buckets. */
    private SortedMap<String, Integer> takers() {
        SortedMap<String, Integer> weights = new TreeMap<>();
        spec.shards().stream()
                .filter(shard -> shard.role() == Shard.Role.GENERAL)
                .forEach(shard -> weights.put(shard.name(), shard.weight()));
        return weights;
    }

    private SortedMap<String, Adoption.Noted> noted() {
        SortedMap<String, Adoption.Noted> noted = new TreeMap<>();
        sights.forEach((shard, sight) -> noted.put(
                shard,
                new Adoption.Noted(
                        sight.fence().values().stream()
                                .filter(row -> row.state() == FenceState.OWNED)
                                .map(FenceRow::bucket)
                                .collect(Collectors.toCollection(TreeSet::new)),
                        new TreeSet<>(sight.firstWrites()))));
        return noted;
    }

    private Optional<Scans.Scan> scanOf(SortedSet<String> shards) {
        return seen.scan().filter(scan -> scan.placements().keySet().containsAll(shards));
    }

    private static boolean isOld(Scans.Scan scan) {
        return scan.age().compareTo(FRESH) > 0;
    }

    /** Fences of new shards, older fences, damaged fences. A new shard with rows would bring keys that others own. */
    private Optional<ClusterPlan.Decision> install() {
        SortedSet<String> missing = names(sight -> sight.fenceVersion() == 0);
        SortedSet<String> behind = names(
                sight -> sight.fenceVersion() > 0 && (sight.fenceVersion() < seen.fenceVersion() || !sight.usable()));
        if (!missing.isEmpty()) {
            SortedSet<String> scanned =
                    spec.sharding().referenceTables().isEmpty() ? missing : new TreeSet<>(sights.keySet());
            Optional<Scans.Scan> scan = scanOf(scanned);
            return scan.isEmpty()
                    ? scan(scanned)
                    : foreign(missing, scan.get())
                            .or(() -> references(scan.get()))
                            .or(() -> isOld(scan.get()) ? scan(scanned) : Optional.empty())
                            .or(() -> Optional.of(new ClusterPlan.InstallFence(
                                    missing, ClusterPlanner.doing(ClusterStep.INSTALL_FENCE))));
        }
        return renew(behind)
                // a table stands, so the adoption had ended: the shard's fence was restored, or written by hand
                .or(() -> step(ClusterStep.ARM, names(sight -> !sight.armed()), new TreeMap<>()));
    }

    /** A move notices a changed schema and prepares again; the one that is switching is not disturbed. */
    private Optional<ClusterPlan.Decision> renew(SortedSet<String> behind) {
        if (behind.isEmpty()) {
            return Optional.empty();
        }
        boolean switching = seen.moves().stream().anyMatch(move -> move.phase() == MovePhase.SWITCHING);
        return Optional.of(
                switching
                        ? new ClusterPlan.Wait(
                                Reason.INSTALLING, "the fence of " + behind + " is renewed when no move is switching")
                        : new ClusterPlan.InstallFence(behind, ClusterPlanner.doing(ClusterStep.INSTALL_FENCE)));
    }

    private SortedSet<String> names(Predicate<ShardSight> wanted) {
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
