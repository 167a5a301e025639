package io.shardwright.controllers.shardcluster;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.routing.PublishedTable;
import io.shardwright.controllers.routing.TablePublisher;
import io.shardwright.dataplane.Placement;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.Shards;
import io.shardwright.dataplane.StepBoundary;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/** Does what the plan says, one step at a time, and never decides. Work on databases runs as an errand. */
final class ClusterExecutor {
    private final Shards shards;
    private final Errands errands;
    private final Scans scans;
    private final ClusterWatch watch;
    private final TablePublisher tables;
    private final StepBoundary boundary;
    private final LongSupplier nanos;

    ClusterExecutor(
            Shards shards,
            Errands errands,
            Scans scans,
            ClusterWatch watch,
            TablePublisher tables,
            StepBoundary boundary,
            LongSupplier nanos) {
        this.shards = shards;
        this.errands = errands;
        this.scans = scans;
        this.watch = watch;
        this.tables = tables;
        this.boundary = boundary;
        this.nanos = nanos;
    }

    /** @return the table as it is stored now; empty when there is none */
    Optional<PublishedTable> execute(ClusterPlan plan, ClusterObservation seen) {
        ResourceID cluster = ResourceID.fromResource(seen.cluster());
        UUID uid = UUID.fromString(seen.cluster().getMetadata().getUid());
        seen.sight().ifPresent(sight -> {
            work(plan.decision(), cluster, uid, sight.target());
            plan.rescan().ifPresent(names -> scan(cluster, uid, sight.target(), names));
        });
        Optional<PublishedTable> table = publish(plan, cluster, uid, seen);
        tables.mirrorAgain(cluster);
        return table;
    }

    private void work(ClusterPlan.Decision decision, ResourceID cluster, UUID uid, ClusterTarget target) {
        switch (decision) {
            case ClusterPlan.Scan scan -> scan(cluster, uid, target, scan.shards());
            case ClusterPlan.InstallFence install ->
                start(
                        cluster,
                        uid,
                        ClusterStep.INSTALL_FENCE,
                        () -> onEach(
                                cluster,
                                target,
                                install.shards(),
                                shard -> shards.installFence(shard, target.schema())));
            case ClusterPlan.Adopt adopt ->
                start(cluster, uid, ClusterStep.ADOPT, () -> adopt(cluster, target, adopt.owners()));
            case ClusterPlan.Refuse refuse -> {}
            case ClusterPlan.Wait wait -> {}
            case ClusterPlan.Guarded guarded -> {}
        }
    }

    private void start(ResourceID cluster, UUID uid, ClusterStep step, Errands.Errand errand) {
        errands.start(cluster, step, () -> {
            boundary.before(step, uid);
            errand.run();
            boundary.done(step, uid);
        });
    }

    private void scan(ResourceID cluster, UUID uid, ClusterTarget target, SortedSet<String> names) {
        start(cluster, uid, ClusterStep.SCAN, () -> {
            long begun = nanos.getAsLong();
            SortedMap<String, Placement> found =
                    FanOut.onEach(accesses(target, names), shard -> shards.scan(shard, target.schema()));
            scans.put(cluster, target, found, Duration.ofNanos(nanos.getAsLong() - begun));
        });
    }

    /** Fence and ownership of a shard follow each other at once, because between them it refuses all writes. */
    private void adopt(ResourceID cluster, ClusterTarget target, SortedMap<String, SortedSet<Integer>> owners)
            throws ShardException {
        SortedSet<String> all = new TreeSet<>();
        target.shards().forEach(shard -> all.add(shard.shard()));
        onEach(cluster, target, all, shard -> {
            shards.installFence(shard, target.schema());
            SortedSet<Integer> buckets = owners.get(shard.shard());
            if (buckets != null) {
                shards.adopt(shard, buckets);
            }
        });
        scans.forget(cluster);
    }

    /** Whatever came of it, what was seen before is outdated afterwards. */
    private void onEach(ResourceID cluster, ClusterTarget target, SortedSet<String> names, FanOut.Action action)
            throws ShardException {
        try {
            FanOut.onEach(accesses(target, names), shard -> {
                action.on(shard);
                return shard.shard();
            });
        } finally {
            watch.lookAgain(cluster);
        }
    }

    private static Collection<ShardAccess> accesses(ClusterTarget target, SortedSet<String> names) {
        return target.shards().stream()
                .filter(shard -> names.contains(shard.shard()))
                .toList();
    }

    /** A leader's first pass claims the table for its term, so that a leader before it can store nothing any more. */
    private Optional<PublishedTable> publish(ClusterPlan plan, ResourceID cluster, UUID uid, ClusterObservation seen) {
        boolean claim = seen.table().isPresent() && !tables.claimed(cluster);
        if (plan.table().isEmpty() && !claim) {
            return tables.current(cluster);
        }
        boundary.before(ClusterStep.PUBLISH, uid);
        PublishedTable stored = tables.publish(cluster, plan.table().orElse(UnaryOperator.identity()))
                .table();
        boundary.done(ClusterStep.PUBLISH, uid);
        return Optional.of(stored);
    }
}
