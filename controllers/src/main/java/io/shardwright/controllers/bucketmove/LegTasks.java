package io.shardwright.controllers.bucketmove;

import io.shardwright.controllers.access.ClusterSchemas;
import io.shardwright.controllers.resources.MoveResources;
import io.shardwright.crds.ByteSize;
import io.shardwright.crds.Durations;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.Rebalancing;
import io.shardwright.crds.shardpolicy.ShardPolicySpec;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.Throttling;
import io.shardwright.meaning.Policies;
import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.Task;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.UUID;

/** One move as a task for movers and, leg by leg, for the planner. */
final class LegTasks {
    private LegTasks() {}

    /** The way there; its reversal follows from it. */
    static MoveTask forMovers(
            BucketMove move,
            SortedSet<Scope> scopes,
            ShardCluster cluster,
            ShardPolicySpec policy,
            List<ShardAccess> shards) {
        return new MoveTask(
                id(move),
                cluster.getMetadata().getName(),
                access(shards, move.getSpec().from()),
                access(shards, move.getSpec().to()),
                ClusterSchemas.schema(cluster.getSpec()),
                scopes,
                limits(move, policy));
    }

    private static ShardAccess access(List<ShardAccess> shards, String name) {
        return shards.stream()
                .filter(shard -> shard.shard().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static MoveTask.Limits limits(BucketMove move, ShardPolicySpec spec) {
        Rebalancing policy = spec.rebalancing();
        Duration budget = Durations.parse(budget(move, spec));
        Duration drain = Durations.parse(policy.drainTimeout());
        return new MoveTask.Limits(
                budget,
                drain.compareTo(budget) < 0 ? drain : budget,
                Durations.parse(policy.pauseMax()),
                MoveTask.Limits.defaults().lagGateBytes(),
                policy.switchGroup(),
                policy.asyncStandby() == Rebalancing.AsyncStandby.ACCEPT,
                Throttling.of(Durations.parse(policy.pauseAboveLag()), ByteSize.parse(policy.maxBytesPerSecond())));
    }

    /** A move of a plan goes by its policy, which people may change in between; what it says itself holds when that is gone. */
    private static String budget(BucketMove move, ShardPolicySpec policy) {
        String own = move.getSpec().writeHoldBudget();
        boolean policyRules = MoveResources.isPlanned(move) && Policies.isOne(policy);
        return own == null || policyRules ? policy.rebalancing().writeHoldBudget() : own;
    }

    static Task forPlanner(BucketMove move, SortedSet<Scope> scopes, Leg leg, ShardPolicySpec policy) {
        UUID there = id(move);
        UUID back = MoveTask.reversalId(there);
        int group = policy.rebalancing().switchGroup();
        Duration handover = Durations.parse(policy.handoverTimeout());
        BucketMoveSpec spec = move.getSpec();
        return leg == Leg.THERE
                ? new Task(there, back, leg, spec.from(), spec.to(), scopes, group, handover, soak(spec, policy))
                : new Task(back, there, leg, spec.to(), spec.from(), scopes, group, handover, Duration.ZERO);
    }

    private static Duration soak(BucketMoveSpec spec, ShardPolicySpec policy) {
        return Durations.parse(spec.soak() == null ? policy.rebalancing().soak() : spec.soak());
    }

    /**
     * The same task, with the soak that people were told: no policy that is changed or deleted ends it earlier.
     *
     * @param foldedFor what the soak is measured by
     */
    static Task asPromised(Task task, BucketMove move, Duration foldedFor, Instant now) {
        Optional<Duration> promised = Optional.ofNullable(move.getStatus())
                .map(BucketMoveStatus::reversibleUntil)
                .map(until -> foldedFor.plus(Duration.between(now, Instant.parse(until))));
        if (task.leg() != Leg.THERE
                || promised.filter(soak -> soak.compareTo(task.soak()) > 0).isEmpty()) {
            return task;
        }
        return new Task(
                task.moveId(),
                task.otherLeg(),
                task.leg(),
                task.from(),
                task.to(),
                task.scopes(),
                task.switchGroup(),
                task.handoverTimeout(),
                promised.get());
    }

    private static UUID id(BucketMove move) {
        return UUID.fromString(move.getMetadata().getUid());
    }
}
