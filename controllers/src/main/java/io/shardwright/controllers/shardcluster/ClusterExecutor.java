package io.shardwright.controllers.shardcluster;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.routing.Publication;
import io.shardwright.controllers.routing.PublishedTable;
import io.shardwright.controllers.routing.TablePublisher;
import io.shardwright.dataplane.Placement;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.Shards;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.routing.RoutingTable;
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
                start(cluster, uid, ClusterStep.INSTALL_FENCE, () -> install(cluster, target, install.shards()));
            case ClusterPlan.Adopt adopt -> start(cluster, uid, adopt.step(), () -> adopt(cluster, target, adopt));
            case ClusterPlan.Refuse refuse -> {}
            case ClusterPlan.Wait wait -> {}
            case ClusterPlan.Guarded guarded -> scans.forget(cluster);
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

    /** Rows that were counted before the last trigger stood say nothing about those that were written meanwhile. */
    private void install(ResourceID cluster, ClusterTarget target, SortedSet<String> names) throws ShardException {
        scans.forget(cluster);
        onEach(cluster, target, names, shard -> shards.installFence(shard, target.schema()));
    }

    private void adopt(ResourceID cluster, ClusterTarget target, ClusterPlan.Adopt adopt) throws ShardException {
        if (adopt.step() == ClusterStep.RELEASE) {
            // refused or done, the tables have changed since they were counted
            scans.forget(cluster);
        }
        onEach(cluster, target, new TreeSet<>(adopt.buckets().keySet()), shard -> {
            SortedSet<Integer> buckets = adopt.buckets().get(shard.shard());
            switch (adopt.step()) {
                case PREPARE -> shards.prepare(shard, target.schema(), buckets);
                case ADOPT -> shards.adopt(shard, buckets);
                case RELEASE -> shards.release(shard, target.schema(), buckets);
                case ARM -> shards.arm(shard, target.schema());
                case SCAN, INSTALL_FENCE, PUBLISH ->
                    throw new IllegalStateException(adopt.step() + " is no step of an adoption");
            }
        });
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
        boolean claim = seen.table().isPresent()
                && !tables.claimed(cluster)
                && plan.above().isEmpty();
        if (plan.table().isEmpty() && !claim) {
            return tables.current(cluster);
        }
        boundary.before(ClusterStep.PUBLISH, uid);
        UnaryOperator<RoutingTable> edit = plan.table().orElse(UnaryOperator.identity());
        Publication published = plan.above()
                .map(witness -> tables.publishAnew(cluster, witness, edit))
                .orElseGet(() -> tables.publish(cluster, edit));
        boundary.done(ClusterStep.PUBLISH, uid);
        return published instanceof Publication.Stored stored ? Optional.of(stored.table()) : tables.current(cluster);
    }
}
