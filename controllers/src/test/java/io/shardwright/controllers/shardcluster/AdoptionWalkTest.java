package io.shardwright.controllers.shardcluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.controllers.world.FenceWorld;
import io.shardwright.crds.Reason;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.dataplane.Placement;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardSight;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole adoption of two live shards, step by step, with a writer on each, and with an end of the process between any two. */
class AdoptionWalkTest {
    private static final int BUCKETS = 8;
    private static final List<ShardAccess> SHARDS = List.of(access("ds-0"), access("ds-1"));
    private static final ShardCluster CLUSTER = Serialization.unmarshal("""
            metadata: {name: orders, namespace: shop, generation: 3, uid: 00000000-0000-0000-0000-000000000007}
            spec:
              engine: PostgreSQL
              database: shop
              sharding: {buckets: 8, hash: MD5, keyType: Int64, tables: [{name: orders, shardKey: tenant_id}]}
              access: {operator: {secretRef: {name: op}}, tls: {mode: Disable}}
              routers: [{role: Web, podSelector: {matchLabels: {app: web}}}]
              shards:
              - {name: ds-0, instances: [{name: a, host: ds-0, port: 5432}]}
              - {name: ds-1, instances: [{name: a, host: ds-1, port: 5432}]}
            """, ShardCluster.class);

    private final FenceWorld world = new FenceWorld().withShard("ds-0").withShard("ds-1");
    private Optional<Scans.Scan> scan = Optional.empty();
    private int calls;
    private int dieAfter = Integer.MAX_VALUE;

    private static ShardAccess access(String name) {
        return new ShardAccess(name, List.of(new ShardAccess.Endpoint("a", name, 5432)), "shop", null, null, null);
    }

    private static final class Died extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private ClusterPlan.Decision next() {
        SortedMap<String, ShardSight> sights = new TreeMap<>();
        SHARDS.forEach(shard -> sights.put(shard.shard(), world.look(shard, null)));
        ClusterObservation seen = new ClusterObservation(
                CLUSTER,
                new ClusterObservation.Access(SHARDS, Optional.empty()),
                Optional.of(new ClusterSight(new ClusterTarget(SHARDS, null), sights, true)),
                Errands.State.IDLE,
                scan,
                Optional.empty(),
                List.of(),
                Optional.empty(),
                List.of(),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                world.fenceVersion(),
                Optional.empty(),
                List.of());
        return ClusterPlanner.plan(seen, 1).decision();
    }

    /** One step on every shard that it names; the process may die between two of them. */
    private void execute(ClusterPlan.Decision decision) {
        switch (decision) {
            case ClusterPlan.Scan all -> {
                SortedMap<String, Placement> found = new TreeMap<>();
                SHARDS.forEach(shard -> found.put(shard.shard(), world.scan(shard, null)));
                scan = Optional.of(new Scans.Scan(found, Duration.ZERO, Duration.ZERO));
            }
            case ClusterPlan.InstallFence install -> {
                scan = Optional.empty();
                onEach(install.shards(), shard -> world.installFence(shard, null));
            }
            case ClusterPlan.Adopt adopt -> {
                if (adopt.step() == ClusterStep.RELEASE) {
                    scan = Optional.empty();
                }
                onEach(adopt.buckets().keySet(), shard -> act(adopt, shard));
            }
            default -> throw new AssertionError(decision);
        }
    }

    private void act(ClusterPlan.Adopt adopt, ShardAccess shard) throws ShardException {
        SortedSet<Integer> buckets = adopt.buckets().get(shard.shard());
        switch (adopt.step()) {
            case PREPARE -> world.prepare(shard, null, buckets);
            case ADOPT -> world.adopt(shard, buckets);
            case RELEASE -> world.release(shard, null, buckets);
            case ARM -> world.arm(shard, null);
            default -> throw new AssertionError(adopt.step());
        }
    }

    private interface Action {
        void on(ShardAccess shard) throws ShardException;
    }

    private void onEach(java.util.Collection<String> names, Action action) {
        for (ShardAccess shard : SHARDS) {
            if (names.contains(shard.shard())) {
                if (calls++ == dieAfter) {
                    throw new Died();
                }
                try {
                    action.on(shard);
                } catch (ShardException e) {
                    return; // an errand that failed is planned again
                }
            }
        }
    }

    private interface Between {
        void happens(ClusterPlan.Decision next);
    }

    /** @return the decision at which nothing is left to do */
    private ClusterPlan.Decision walk(Between between) {
        for (int steps = 0; steps < 40; steps++) {
            ClusterPlan.Decision decision = next();
            if (decision instanceof ClusterPlan.Guarded || decision instanceof ClusterPlan.Refuse) {
                return decision;
            }
            between.happens(decision);
            try {
                execute(decision);
            } catch (Died e) {
                scan = Optional.empty();
            }
        }
        throw new AssertionError("no end: " + world.effects());
    }

    private void everyBucketHasOneOwner() {
        assertThat(IntStream.range(0, BUCKETS)
                        .mapToLong(bucket -> List.of("ds-0", "ds-1").stream()
                                .filter(shard -> world.fence(shard).containsKey(bucket))
                                .count()))
                .containsOnly(1L);
    }

    @ParameterizedTest(name = "the process dies before call {0}")
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 99})
    void noWriteIsRefusedWhereverTheProcessDies(int call) {
        dieAfter = call;
        world.withRows("ds-0", 0, 5).withRows("ds-1", 7, 5);

        ClusterPlan.Decision end = walk(next -> {
            world.write("ds-0", 0);
            world.write("ds-1", 7);
        });

        assertThat(end).isEqualTo(new ClusterPlan.Guarded());
        everyBucketHasOneOwner();
        assertThat(world.fence("ds-0")).containsKey(0);
        assertThat(world.fence("ds-1")).containsKey(7);
        assertThat(world.owned("ds-0")).isEqualTo(4);
    }

    /** A first write right before each kind of step but those after the arming. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void aFirstWriteStaysWhereItWasMade(int step) {
        int[] seen = {0};
        boolean[] written = {false};

        ClusterPlan.Decision end = walk(next -> {
            if (seen[0]++ == step) {
                world.write("ds-1", 3);
                written[0] = true;
            }
        });

        assertThat(written[0]).isTrue();
        assertThat(end).isEqualTo(new ClusterPlan.Guarded());
        assertThat(world.fence("ds-1")).containsKey(3);
        everyBucketHasOneOwner();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void firstWritesOnTwoShardsAreNamedAndEndWellOncePeopleHaveActed(int step) {
        world.withRows("ds-0", 3, 9);
        int[] seen = {0};

        ClusterPlan.Decision blocked = walk(next -> {
            world.write("ds-0", 3);
            if (seen[0]++ >= step) {
                world.write("ds-1", 3);
            }
        });
        assertThat(blocked)
                .isInstanceOfSatisfying(
                        ClusterPlan.Refuse.class,
                        refuse -> assertThat(refuse.reason()).isEqualTo(Reason.MISPLACED_KEYS));
        world.write("ds-0", 3);
        world.write("ds-1", 3);

        world.withRows("ds-1", 3, 0);
        scan = Optional.empty();
        ClusterPlan.Decision end = walk(next -> world.write("ds-0", 3));

        assertThat(end).isEqualTo(new ClusterPlan.Guarded());
        everyBucketHasOneOwner();
        assertThat(world.fence("ds-0")).containsKey(3);
    }

    @Test
    void theStepsComeInTheOrderThatKeepsWritesAlive() {
        world.withRows("ds-0", 0, 5);

        walk(next -> {});

        assertThat(world.effects())
                .containsExactly(
                        "prepare ds-0",
                        "prepare ds-1",
                        "install ds-0",
                        "install ds-1",
                        "arm ds-0",
                        "arm ds-1",
                        "adopt ds-0 3",
                        "adopt ds-1 4");
    }
}
