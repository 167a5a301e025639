package io.shardwright.controllers.shardcluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.MovePhases;
import io.shardwright.controllers.report.Announcer;
import io.shardwright.controllers.report.RoomMetrics;
import io.shardwright.controllers.report.Transition;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.dataplane.Leftovers;
import io.shardwright.dataplane.ShardException;
import io.shardwright.planning.leftovers.Finding;
import io.shardwright.planning.leftovers.Sightings;
import io.shardwright.planning.moves.MovePhase;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sweeps what moves without an object have left, cluster by cluster on threads of its own: when this process first sees a
 * cluster, when a move's object goes, a minute after something was first seen, and every ten minutes. It stays away from the
 * databases while a bucket is being switched.
 */
final class Sweeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);

    private static final Duration CADENCE = Duration.ofMinutes(10);
    private static final Duration AFTER_A_FAULT = Duration.ofMinutes(1);
    private static final Duration WHEN_SEEN_FOR_LONGER = Sightings.PROBATION.plusSeconds(1);

    private final KubernetesClient client;
    private final Leftovers leftovers;
    private final Announcer announcer;
    private final RoomMetrics metrics;
    private final Consumer<ResourceID> news;
    private final LongSupplier nanos;
    private final Map<ResourceID, Memory> memories = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /** @param news told of each cluster of which something else is left than before */
    Sweeper(
            KubernetesClient client,
            Leftovers leftovers,
            Announcer announcer,
            RoomMetrics metrics,
            Consumer<ResourceID> news,
            LongSupplier nanos) {
        this.client = client;
        this.leftovers = leftovers;
        this.announcer = announcer;
        this.metrics = metrics;
        this.news = news;
        this.nanos = nanos;
    }

    /** What is kept of one cluster between its rounds, which do not overlap. */
    private static final class Memory {
        private Set<String> moves = Set.of();
        private long dueNanos;
        private boolean running;
        private Sightings sightings = Sightings.NONE;
        private List<Finding> findings = List.of();

        private Memory(long nowNanos) {
            dueNanos = nowNanos;
        }

        /** @return whether a round begins now */
        private synchronized boolean begins(Set<String> seen, boolean mayBegin, long nowNanos) {
            if (!seen.containsAll(moves)) {
                dueNanos = nowNanos;
            }
            moves = seen;
            if (running || !mayBegin || nowNanos - dueNanos < 0) {
                return false;
            }
            running = true;
            dueNanos = nowNanos + CADENCE.toNanos();
            return true;
        }

        private synchronized void ended(Duration next, long nowNanos) {
            running = false;
            if (nowNanos + next.toNanos() - dueNanos < 0) {
                dueNanos = nowNanos + next.toNanos();
            }
        }

        private synchronized List<Finding> findings() {
            return findings;
        }

        /** @return what is new among them */
        private synchronized List<Finding> found(List<Finding> now) {
            List<Finding> fresh =
                    now.stream().filter(one -> !findings.contains(one)).toList();
            findings = now;
            return fresh;
        }
    }

    /** What of a cluster is left and not swept, as the last round has found it. */
    List<Finding> findings(ResourceID cluster) {
        return Optional.ofNullable(memories.get(cluster)).map(Memory::findings).orElse(List.of());
    }

    /**
     * Begins a round when one is due; asked in every pass.
     *
     * @param moves of the cluster, ended ones too
     */
    void consider(ClusterObservation seen, Collection<BucketMove> moves, boolean acceptAsyncStandby) {
        Memory memory =
                memories.computeIfAbsent(ResourceID.fromResource(seen.cluster()), any -> new Memory(nanos.getAsLong()));
        boolean held = ClusterHolds.of(seen.cluster()).isPresent();
        if (held) {
            metrics.leftoversUnknown(namespace(seen.cluster()), name(seen.cluster()));
        }
        boolean mayBegin = seen.sight().isPresent()
                && seen.table().isPresent()
                && !held
                && moves.stream().map(MovePhases::underWay).noneMatch(phase -> phase == MovePhase.SWITCHING);
        Set<String> ids = moves.stream().map(Sweeper::uid).collect(Collectors.toSet());
        if (memory.begins(ids, mayBegin, nanos.getAsLong())) {
            ClusterTarget target = seen.sight().orElseThrow().target();
            threads.execute(() -> round(seen.cluster(), memory, target, acceptAsyncStandby));
        }
    }

    private void round(ShardCluster cluster, Memory memory, ClusterTarget target, boolean acceptAsyncStandby) {
        SweepRound round = new SweepRound(leftovers, target, acceptAsyncStandby, memory.sightings, this::moves, nanos);
        Duration next = AFTER_A_FAULT;
        try {
            SweepRound.Rest rest = round.run();
            next = rest.again() ? WHEN_SEEN_FOR_LONGER : CADENCE;
            if (isWatched(cluster, memory)) {
                told(cluster, memory, rest);
            }
        } catch (ShardException e) {
            unknown(cluster, e.getMessage());
        } catch (RuntimeException e) {
            LOG.warn("looking for leftovers failed: cluster={}", ResourceID.fromResource(cluster), e);
            unknown(cluster, e.getMessage());
        } finally {
            memory.sightings = round.sightings();
            swept(cluster, round.swept());
            memory.ended(next, nanos.getAsLong());
        }
    }

    /** Read after the databases, and not from a cache: one that is behind would not know the youngest move. */
    private Set<UUID> moves() {
        return client.resources(BucketMove.class).inAnyNamespace().list().getItems().stream()
                .map(Sweeper::uid)
                .map(UUID::fromString)
                .collect(Collectors.toSet());
    }

    private static String uid(HasMetadata object) {
        return object.getMetadata().getUid();
    }

    private void told(ShardCluster cluster, Memory memory, SweepRound.Rest rest) {
        List<Finding> findings = rest.findings();
        boolean changed = !findings.equals(memory.findings());
        List<Finding> fresh = memory.found(findings);
        if (!rest.silent().isEmpty() && findings.isEmpty()) {
            unknown(cluster, rest.silent().toString());
        } else {
            metrics.leftovers(namespace(cluster), name(cluster), findings.size());
        }
        announcer.tell(
                cluster,
                fresh.stream()
                        .map(one -> Transition.warning("LeftoversKept", one.seen() + ": " + one.nextAction()))
                        .toList());
        if (changed) {
            news.accept(ResourceID.fromResource(cluster));
        }
    }

    private void swept(ShardCluster cluster, List<String> swept) {
        swept.forEach(one -> metrics.swept(namespace(cluster), name(cluster)));
        announcer.tell(
                cluster,
                swept.stream()
                        .map(one -> Transition.normal("LeftoversSwept", one))
                        .toList());
    }

    /** Else it was deleted meanwhile, and its figures with it. */
    private boolean isWatched(ShardCluster cluster, Memory memory) {
        return memories.get(ResourceID.fromResource(cluster)) == memory;
    }

    private void unknown(ShardCluster cluster, String cause) {
        metrics.leftoversUnknown(namespace(cluster), name(cluster));
        LOG.info("leftovers of moves are not swept now: cluster={} cause={}", ResourceID.fromResource(cluster), cause);
    }

    private static String namespace(ShardCluster cluster) {
        return cluster.getMetadata().getNamespace();
    }

    private static String name(ShardCluster cluster) {
        return cluster.getMetadata().getName();
    }

    void forget(ResourceID cluster) {
        memories.remove(cluster);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
