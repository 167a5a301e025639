package io.shardwright.controllers.report;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.dataplane.MoveReport;
import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.hotkeys.HotKeyState;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.routing.Role;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;

/**
 * Figures for monitoring. Labels are bounded (namespace, cluster, role, state, phase, part, condition; never the name of a move
 * or a pod) and end with their cluster. What is not known has no figure, for a zero would say that all is well.
 */
public final class RoomMetrics {
    /** Parts of a hold, in their order. */
    static final List<String> PARTS = List.of("drain", "fence", "hop", "apply", "release");

    private static final List<ConditionType> CONDITIONS =
            List.of(ConditionType.REACHABLE, ConditionType.FENCE_INSTALLED, ConditionType.READY);
    private static final double[] HOLD_BUCKETS = {1, 2, 5, 10, 20, 50, 100, 200, 300, 500, 1000, 2000, 5000};
    /** Also what an age begins with, until it is set. */
    private static final long NEVER = 0;

    private final MeterRegistry registry;
    private final Clock clock;
    private final Map<Meter.Id, AtomicLong> gauges = new ConcurrentHashMap<>();

    /** @param clock the wall's: ages are asked for, and some began under an earlier leader */
    public RoomMetrics(MeterRegistry registry, Clock clock) {
        this.registry = registry;
        this.clock = clock;
    }

    /** A cluster is there. What only counts begins with zero, or its first event would be no increase. */
    public void began(String namespace, String cluster) {
        Tags tags = cluster(namespace, cluster);
        hold(tags);
        PARTS.forEach(part -> part(tags, part));
        predictionError(tags);
        for (MoveReport.KeyHold.Cause cause : MoveReport.KeyHold.Cause.values()) {
            keyHold(tags, cause);
        }
        aboveBudget(tags);
        failedDrains(tags);
        sweeps(tags);
    }

    /** Records the hold of a group once for each bucket of it, or that writers in flight left no gap for it. */
    public void switched(BucketMove move, MoveReport.Switch attempt, Duration budget) {
        Tags tags = cluster(move);
        if (!attempt.activated()) {
            failedDrains(tags).increment();
            return;
        }
        attempt.epochs().keySet().forEach(bucket -> {
            hold(tags).record(attempt.holdMs());
            predictionError(tags).record(Math.abs(attempt.holdMs() - attempt.predictedMs()));
            PARTS.forEach(name -> Optional.ofNullable(attempt.parts().get(name))
                    .ifPresent(milliseconds -> part(tags, name).record(milliseconds)));
            if (attempt.holdMs() > budget.toNanos() / 1e6) {
                aboveBudget(tags).increment();
            }
        });
    }

    /** Records for how long writers of a bucket waited while keys of it were split off or folded back. */
    public void heldForKeys(BucketMove move, MoveReport.KeyHold hold, Duration budget) {
        Tags tags = cluster(move);
        keyHold(tags, hold.cause()).record(hold.milliseconds());
        if (hold.milliseconds() > budget.toNanos() / 1e6) {
            aboveBudget(tags).increment();
        }
    }

    private DistributionSummary keyHold(Tags tags, MoveReport.KeyHold.Cause cause) {
        return milliseconds(
                "shardwright_key_" + cause.name().toLowerCase(Locale.ROOT) + "_hold_milliseconds",
                switch (cause) {
                    case SPLIT -> "How long writers of a bucket waited while keys of it were split off";
                    case FOLD -> "How long writers of a bucket waited while keys of it were folded back";
                },
                tags);
    }

    private DistributionSummary hold(Tags tags) {
        return milliseconds(
                "shardwright_write_hold_milliseconds", "How long writers of a bucket waited at its switch", tags);
    }

    private DistributionSummary part(Tags tags, String part) {
        return milliseconds(
                "shardwright_write_hold_part_milliseconds",
                "The hold of a bucket by its parts: drain, fence, hop, apply, release",
                tags.and("part", part));
    }

    private DistributionSummary predictionError(Tags tags) {
        return milliseconds(
                "shardwright_write_hold_prediction_error_milliseconds",
                "By how much a hold was longer or shorter than it was predicted",
                tags);
    }

    private DistributionSummary milliseconds(String name, String about, Tags tags) {
        return DistributionSummary.builder(name)
                .description(about)
                .tags(tags)
                .serviceLevelObjectives(HOLD_BUCKETS)
                .register(registry);
    }

    private Counter aboveBudget(Tags tags) {
        return Counter.builder("shardwright_write_holds_above_budget")
                .description("Buckets whose writers waited longer than writeHoldBudget")
                .tags(tags)
                .register(registry);
    }

    private Counter failedDrains(Tags tags) {
        return Counter.builder("shardwright_failed_drains")
                .description("Attempts to switch that were given up before the fence; writers went on")
                .tags(tags)
                .register(registry);
    }

    /** Moves that are not terminal. */
    public void moves(String namespace, String cluster, Map<MovePhase, Long> byPhase) {
        Tags tags = cluster(namespace, cluster);
        for (MovePhase phase : MovePhase.values()) {
            if (!phase.terminal()) {
                set(
                        "shardwright_moves",
                        "Moves of a cluster by phase, terminal ones left out",
                        tags.and("phase", phase.wire()),
                        byPhase.getOrDefault(phase, 0L));
            }
        }
    }

    /**
     * Moves that cannot go on by themselves; those that soak, or that somebody has paused, are not among them.
     *
     * @param blockedSince when the oldest of those in phase Blocked came there
     * @param heldSince when the oldest of those that need somebody, in any phase, began to ask
     */
    public void stuck(String namespace, String cluster, Optional<Instant> blockedSince, Optional<Instant> heldSince) {
        Tags tags = cluster(namespace, cluster);
        age(
                "shardwright_move_blocked_seconds",
                "For how long the oldest blocked move is blocked; 0 when none is, and for one that waits because its cluster is"
                        + " suspended",
                tags,
                blockedSince);
        age(
                "shardwright_move_held_seconds",
                "For how long a move has needed somebody before it can go on; 0 when none does. A soak and a pause do not count",
                tags,
                heldSince);
    }

    public void table(String namespace, String cluster, long revision) {
        set("shardwright_table_revision", "Revision of the published table", cluster(namespace, cluster), revision);
    }

    /** Live routers that have, and that have not, acknowledged the published table. */
    public void routers(String namespace, String cluster, AckGate gate) {
        for (Role role : Role.values()) {
            int live = gate.live().getOrDefault(role, 0);
            int acked = gate.acked().getOrDefault(role, 0);
            Tags tags = cluster(namespace, cluster).and("role", role.wire());
            String about = "Live routers by whether they acknowledged the published table";
            set("shardwright_routers", about, tags.and("state", "acked"), acked);
            set("shardwright_routers", about, tags.and("state", "behind"), (long) live - acked);
        }
    }

    /** @param since when the oldest table was published that not every router of the role has acknowledged */
    public void unacknowledged(String namespace, String cluster, Role role, Optional<Instant> since) {
        age(
                "shardwright_unacknowledged_seconds",
                "Age of the oldest publication that a router of the role has not acknowledged; 0 when there is none",
                cluster(namespace, cluster).and("role", role.wire()),
                since);
    }

    /** Unknown is never good, so it counts as not True. */
    public void conditions(String namespace, String cluster, List<Condition> said) {
        for (ConditionType type : CONDITIONS) {
            set(
                    "shardwright_cluster_condition",
                    "1 while the condition of a ShardCluster is True, 0 while it is False or Unknown",
                    cluster(namespace, cluster).and("condition", type.wire()),
                    Conditions.isTrue(said, type) ? 1 : 0);
        }
    }

    /** Buckets that two shards own, and buckets that none owns, seen so in two looks in a row; empty while nobody can tell. */
    public void ownership(String namespace, String cluster, OptionalInt contested, OptionalInt ownerless) {
        Tags tags = cluster(namespace, cluster);
        setOrDrop("shardwright_contested_buckets", "Buckets that more than one shard owns", tags, contested);
        setOrDrop(
                "shardwright_ownerless_buckets",
                "Buckets that no shard owns: their writes are refused",
                tags,
                ownerless);
    }

    private void setOrDrop(String name, String about, Tags tags, OptionalInt value) {
        value.ifPresentOrElse(known -> set(name, about, tags, known), () -> drop(gaugeId(name, tags)));
    }

    /** What one move without an object had left on one shard is gone. */
    public void swept(String namespace, String cluster) {
        sweeps(cluster(namespace, cluster)).increment();
    }

    private Counter sweeps(Tags tags) {
        return Counter.builder("shardwright_swept_leftovers")
                .description("How often the traces of a move whose object is gone were removed from a shard")
                .tags(tags)
                .register(registry);
    }

    /** What of such moves stays, and wants somebody. */
    public void leftovers(String namespace, String cluster, int count) {
        set(
                "shardwright_leftovers",
                "Things that moves without an object have left, and that are not swept: slots that keep log, rows, open decisions",
                cluster(namespace, cluster),
                count);
    }

    /** Not every shard could be read. */
    public void leftoversUnknown(String namespace, String cluster) {
        drop(gaugeId("shardwright_leftovers", cluster(namespace, cluster)));
    }

    /**
     * Keys that detection has found, by state; never which ones.
     *
     * @param detects false: nothing is looked for, so nothing is known
     */
    public void hotKeys(String namespace, String cluster, boolean detects, Map<HotKeyState, Long> byState) {
        for (HotKeyState state : HotKeyState.values()) {
            Tags tags = cluster(namespace, cluster).and("state", state.wire());
            if (detects) {
                set(
                        "shardwright_hot_keys",
                        "Keys that detection has found, by state",
                        tags,
                        byState.getOrDefault(state, 0L));
            } else {
                drop(gaugeId("shardwright_hot_keys", tags));
            }
        }
    }

    /** A pass over a cluster has ended well, its status stored. */
    public void passed(String namespace, String cluster) {
        age(
                "shardwright_cluster_pass_age_seconds",
                "Time since the operator last looked at a cluster and stored its status",
                cluster(namespace, cluster),
                Optional.of(clock.instant()));
    }

    /** A cluster is gone, and its figures with it. */
    public void forget(String namespace, String cluster) {
        Tags mine = cluster(namespace, cluster);
        registry.getMeters().stream()
                .map(Meter::getId)
                .filter(id -> id.getName().startsWith("shardwright_"))
                .filter(id -> mine.stream().allMatch(tag -> id.getTags().contains(tag)))
                .forEach(this::drop);
    }

    private void drop(Meter.Id id) {
        registry.remove(id);
        gauges.remove(id);
    }

    private static Tags cluster(BucketMove move) {
        return cluster(
                move.getMetadata().getNamespace(), move.getSpec().clusterRef().name());
    }

    private static Tags cluster(String namespace, String cluster) {
        return Tags.of("namespace", namespace, "cluster", cluster);
    }

    private static Meter.Id gaugeId(String name, Tags tags) {
        return new Meter.Id(name, tags, null, null, Meter.Type.GAUGE);
    }

    private void set(String name, String about, Tags tags, long value) {
        gauge(name, about, tags, AtomicLong::doubleValue).set(value);
    }

    /** Counts on between two passes, as it is asked. */
    private void age(String name, String about, Tags tags, Optional<Instant> since) {
        gauge(name, about, tags, this::seconds)
                .set(since.map(Instant::toEpochMilli).orElse(NEVER));
    }

    private double seconds(AtomicLong since) {
        return since.get() == NEVER ? 0 : Math.max(0, clock.millis() - since.get()) / 1e3;
    }

    private AtomicLong gauge(String name, String about, Tags tags, ToDoubleFunction<AtomicLong> read) {
        return gauges.computeIfAbsent(gaugeId(name, tags), any -> {
            AtomicLong held = new AtomicLong();
            Gauge.builder(name, held, read).description(about).tags(tags).register(registry);
            return held;
        });
    }
}
