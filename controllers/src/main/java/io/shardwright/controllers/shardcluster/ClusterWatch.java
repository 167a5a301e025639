package io.shardwright.controllers.shardcluster;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.dataplane.Shards;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Looks at the shards of every cluster, all at once and on its own threads, every two seconds and when asked, and pushes an
 * event when the picture changed. Reconciling reads the last picture and never waits for a database.
 */
public final class ClusterWatch implements AutoCloseable {
    static final Duration INTERVAL = Duration.ofSeconds(2);
    /** Longer than every timeout inside a look; a look that hangs all the same is named as a fault. */
    private static final Duration LOOK_LIMIT = Duration.ofSeconds(8);

    private final Shards shards;
    private final Consumer<ResourceID> changed;
    private final Map<ResourceID, Watched> watched = new ConcurrentHashMap<>();
    private final ExecutorService looks = Executors.newVirtualThreadPerTaskExecutor();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("cluster-watch").factory());

    /** @param changed told which cluster looks different from before */
    public ClusterWatch(Shards shards, Consumer<ResourceID> changed) {
        this.shards = shards;
        this.changed = changed;
    }

    /** Watches a cluster from now on; a changed target is looked at at once. Repeating it costs nothing. */
    public void watch(ResourceID cluster, ClusterTarget target) {
        watched.computeIfAbsent(cluster, Watched::new).aim(target);
    }

    /** The newest picture of this target; empty before its first look has ended. */
    public Optional<ClusterSight> sight(ResourceID cluster, ClusterTarget target) {
        return Optional.ofNullable(watched.get(cluster))
                .flatMap(Watched::sight)
                .filter(sight -> sight.target().equals(target));
    }

    /** The newest picture of whatever target the cluster has. */
    public Optional<ClusterSight> sight(ResourceID cluster) {
        return Optional.ofNullable(watched.get(cluster)).flatMap(Watched::sight);
    }

    /** Something was done to the shards: what was seen before is outdated, look again at once. */
    public void lookAgain(ResourceID cluster) {
        Optional.ofNullable(watched.get(cluster)).ifPresent(Watched::outdate);
    }

    public List<ResourceID> in(String namespace) {
        return watched.keySet().stream()
                .filter(cluster -> cluster.getNamespace().orElse("").equals(namespace))
                .toList();
    }

    public void forget(ResourceID cluster) {
        Optional.ofNullable(watched.remove(cluster)).ifPresent(Watched::end);
    }

    @Override
    public void close() {
        clock.shutdownNow();
        looks.shutdownNow();
        watched.clear();
    }

    /** One cluster: at most one look at a time; what is asked for during a look leads to another one right after it. */
    private final class Watched {
        private final ResourceID cluster;
        private ClusterTarget target;
        private ClusterSight sight;
        private boolean looking;
        private boolean again;
        private boolean ended;
        private long tick;

        private Watched(ResourceID cluster) {
            this.cluster = cluster;
        }

        private synchronized Optional<ClusterSight> sight() {
            return Optional.ofNullable(sight);
        }

        private synchronized void aim(ClusterTarget next) {
            if (!next.equals(target)) {
                target = next;
                look();
            }
        }

        private synchronized void outdate() {
            if (sight != null) {
                sight = sight.outdated();
            }
            look();
        }

        private synchronized void end() {
            ended = true;
        }

        private synchronized void look() {
            if (ended || clock.isShutdown()) {
                return;
            }
            if (looking) {
                again = true;
                return;
            }
            looking = true;
            again = false;
            tick++;
            ClusterTarget seen = target;
            lookAtAll(seen).thenAccept(result -> finish(new ClusterSight(seen, result, true)));
        }

        private void finish(ClusterSight result) {
            boolean news;
            synchronized (this) {
                looking = false;
                boolean outdated = again;
                news = !outdated && !(sight != null && sight.fresh() && result.shows(sight));
                if (!outdated) {
                    sight = result;
                }
                if (outdated) {
                    look();
                } else {
                    scheduleNext();
                }
            }
            if (news) {
                changed.accept(cluster);
            }
        }

        private void scheduleNext() {
            if (ended || clock.isShutdown()) {
                return;
            }
            long mine = tick;
            clock.schedule(() -> tickOnce(mine), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        }

        private synchronized void tickOnce(long mine) {
            if (mine == tick) {
                look();
            }
        }
    }

    private CompletableFuture<SortedMap<String, ShardSight>> lookAtAll(ClusterTarget target) {
        List<CompletableFuture<ShardSight>> all =
                target.shards().stream().map(shard -> lookAt(shard, target)).toList();
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).thenApply(none -> {
            SortedMap<String, ShardSight> sights = new TreeMap<>();
            all.forEach(one -> sights.put(one.join().shard(), one.join()));
            return sights;
        });
    }

    private CompletableFuture<ShardSight> lookAt(ShardAccess shard, ClusterTarget target) {
        return CompletableFuture.supplyAsync(() -> shards.look(shard, target.schema()), looks)
                .completeOnTimeout(
                        unseen(shard, "no answer within " + LOOK_LIMIT.toSeconds() + " s"),
                        LOOK_LIMIT.toMillis(),
                        TimeUnit.MILLISECONDS)
                .exceptionally(failure -> unseen(shard, "the look failed: " + failure.getMessage()));
    }

    private static ShardSight unseen(ShardAccess shard, String why) {
        String message = "shard " + shard.shard() + " (" + shard.instances() + "): " + why;
        return ShardSight.unread(
                shard.shard(), List.of(new ShardSight.Problem(ShardSight.Problem.Kind.UNREACHABLE, message)));
    }
}
