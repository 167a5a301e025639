package io.shardwright.crds.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.shardwright.crds.ClusterRef;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.crds.bucketmove.BucketMoveSpec.Intent;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.routingtable.RoutingTableSpec;
import io.shardwright.crds.shardcluster.Shard;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardcluster.ShardClusterSpec;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.crds.shardcluster.ShardState;
import io.shardwright.crds.shardpolicy.HotKeys;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicySpec;
import io.shardwright.crds.shardpolicy.ShardPolicySpec.Freeze;
import io.shardwright.crds.shardpolicy.ShardPolicySpec.Window;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.HotKey;
import io.shardwright.servers.ControlPlane;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The largest objects can be written, and written again. The API server gives each rule a budget at run time; an object above
 * it could never be changed any more, its status and finalizers included.
 */
@Tag("long")
@ExtendWith(InstalledApi.class)
class LargestObjectsIT {
    private static final String NAMESPACE = "largest";

    private static KubernetesClient client;

    @BeforeAll
    static void makeNamespace(ControlPlane plane) {
        Config patient = Config.fromKubeconfig(plane.adminKubeconfig().toFile());
        patient.setRequestTimeout(120_000);
        client = new KubernetesClientBuilder().withConfig(patient).build();
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .create();
    }

    @AfterAll
    static void closeClient() {
        client.close();
    }

    @Test
    void aClusterOfAThousandShardsGetsItsStatusAndLosesADrainedShard() {
        ShardCluster cluster = Samples.cluster(NAMESPACE, "orders");
        cluster.setSpec(withShards(cluster.getSpec(), list(1_000, LargestObjectsIT::shardOfNine)));
        ShardCluster stored = client.resource(cluster).create();
        stored.setStatus(statusOf(1_000));
        stored = client.resource(stored).updateStatus();

        stored.setSpec(withShards(stored.getSpec(), stored.getSpec().shards().subList(0, 999)));

        assertThat(client.resource(stored).update().getSpec().shards()).hasSize(999);
    }

    @Test
    void aTableOfAllBucketsGoesOnToItsNextRevision() {
        RoutingTable table = Samples.table(NAMESPACE, "orders");
        table.setSpec(largestTable(1, "shard-0001*1"));
        RoutingTable stored = client.resource(table).create();

        stored.setSpec(largestTable(2, "shard-0002*1"));

        assertThat(client.resource(stored).update().getSpec().revision()).isEqualTo(2);
    }

    @Test
    void aMoveOfFourThousandBucketsReportsItsSwitchesAndCanBeAborted() {
        BucketMove move = Samples.move(NAMESPACE, "all");
        move.setSpec(new BucketMoveSpec(
                new ClusterRef("orders"),
                "ds-0",
                "ds-4",
                list(4_096, bucket -> bucket),
                null,
                "300ms",
                "1h",
                Intent.RUN));
        BucketMove stored = client.resource(move).create();
        stored.setStatus(allSwitchesThatAreKept());
        stored = client.resource(stored).updateStatus();

        stored.setSpec(stored.getSpec().withIntent(Intent.ABORT));

        assertThat(client.resource(stored).update().getStatus().switches()).hasSize(BucketMoveStatus.LAST_SWITCHES + 1);
    }

    @Test
    void aPolicyOfAllWindowsAndFreezesGetsItsStatusAndOneWindowLess() {
        List<Window> windows = list(
                32,
                hour -> new Window(
                        "0,5,10,15,20,25,30,35,40,45,50,55 0-23 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24 JAN"
                                + "-DEC MON-SUN",
                        "167h59m59s",
                        "America/Argentina/ComodRivadavia"));
        List<Freeze> freezes =
                list(64, day -> new Freeze("2026-12-20T00:00:00+09:00", "2027-01-03T00:00:00+09:00", "r".repeat(256)));
        ShardPolicy policy = Samples.policy(NAMESPACE, "orders");
        policy.setSpec(withTimes(policy.getSpec(), windows, freezes));
        ShardPolicy stored = client.resource(policy).create();
        stored.setStatus(new ShardPolicyStatus(1L, null, null, null, "wait", null));
        stored = client.resource(stored).updateStatus();

        stored.setSpec(withTimes(stored.getSpec(), windows.subList(0, 31), freezes));

        assertThat(client.resource(stored).update().getSpec().windows()).hasSize(31);
    }

    @Test
    void aPolicyOfFiveThousandPinsGetsItsStatusAndOnePinLess() {
        List<HotKeys.Pin> pins =
                list(5_000, key -> new HotKeys.Pin("0191d0a4-7a4e-7c3b-9d6e-%012d".formatted(key), "ds-hot"));
        ShardPolicy policy = Samples.policy(NAMESPACE, "pins");
        policy.setSpec(withPins(policy.getSpec(), pins));
        ShardPolicy stored = client.resource(policy).create();
        stored.setStatus(new ShardPolicyStatus(
                1L,
                null,
                null,
                list(
                        1_000,
                        key -> new HotKey(
                                "sha256:" + "%064d".formatted(key),
                                "ds-hot",
                                "2026-03-01T08:00:00Z",
                                HotKey.PINNED,
                                true,
                                "TargetChanged",
                                "ds-hot",
                                "ds-0",
                                "25%",
                                "12000.0ms",
                                "12000.0ms")),
                "wait",
                null));
        stored = client.resource(stored).updateStatus();

        stored.setSpec(withPins(stored.getSpec(), pins.subList(0, 4_999)));

        assertThat(client.resource(stored).update().getSpec().hotKeys().pins()).hasSize(4_999);
    }

    private static ShardPolicySpec withPins(ShardPolicySpec spec, List<HotKeys.Pin> pins) {
        return new ShardPolicySpec(
                spec.clusterRef(),
                spec.rebalancing(),
                new HotKeys(pins, true, null),
                spec.handoverTimeout(),
                spec.windows(),
                spec.freezes());
    }

    private static ShardPolicySpec withTimes(ShardPolicySpec spec, List<Window> windows, List<Freeze> freezes) {
        return new ShardPolicySpec(
                spec.clusterRef(), spec.rebalancing(), spec.hotKeys(), spec.handoverTimeout(), windows, freezes);
    }

    private static Shard shardOfNine(int shard) {
        return new Shard(
                name(shard),
                null,
                shard == 999 ? 0 : 100,
                "500Gi",
                list(9, instance -> new Shard.Instance("i" + instance, name(shard) + "-" + instance + ".db", 5432)));
    }

    private static ShardClusterSpec withShards(ShardClusterSpec spec, List<Shard> shards) {
        return new ShardClusterSpec(
                spec.engine(), spec.database(), spec.sharding(), shards, spec.access(), spec.routers(), spec.suspend());
    }

    private static ShardClusterStatus statusOf(int shards) {
        Map<String, ShardClusterStatus.ShardFinding> findings = new TreeMap<>();
        for (int shard = 0; shard < shards; shard++) {
            findings.put(
                    name(shard),
                    new ShardClusterStatus.ShardFinding(
                            ShardState.READY.wire(),
                            "i0",
                            shard == 999 ? 0 : 65,
                            null,
                            "7312345678901234567",
                            "18.1",
                            null));
        }
        return new ShardClusterStatus(1L, shards, findings, null, null, null, null, null, null);
    }

    /** Runs of one bucket each, the first one as given; about 900 KiB, the limit of a plan. */
    private static RoutingTableSpec largestTable(long revision, String firstRun) {
        String others = IntStream.range(1, 65_536)
                .mapToObj(bucket -> name(bucket % 1_024) + "*1")
                .collect(Collectors.joining(","));
        Map<String, RoutingTableSpec.Shard> shards = new TreeMap<>();
        for (int shard = 0; shard < 1_024; shard++) {
            shards.put(
                    name(shard),
                    new RoutingTableSpec.Shard("General", new RoutingTableSpec.Endpoint(name(shard) + ".db", 5432)));
        }
        List<RoutingTableSpec.Handover> handovers = list(
                64,
                group -> new RoutingTableSpec.Handover(
                        list(16, bucket -> new RoutingTableSpec.BucketEpoch(group * 16 + bucket, 2L)),
                        null,
                        name(group),
                        List.of("worker", "web")));
        return new RoutingTableSpec(
                revision,
                1L,
                1L,
                "orders",
                "PostgreSQL",
                65_536,
                "MD5",
                "Int64",
                firstRun + "," + others,
                "1*65536",
                Map.of(),
                handovers,
                shards);
    }

    private static BucketMoveStatus allSwitchesThatAreKept() {
        Map<String, Double> parts = Map.of("drain", 1.5, "fence", 0.5, "hop", 0.75, "apply", 1.25, "release", 0.25);
        return new BucketMoveStatus(
                1L,
                "Switching",
                null,
                null,
                list(
                        BucketMoveStatus.LAST_SWITCHES + 1,
                        bucket -> new BucketMoveStatus.Switch(bucket, null, 4.5, 6.25, parts)),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
    }

    private static String name(int shard) {
        return "shard-%04d".formatted(shard);
    }

    private static <T> List<T> list(int size, IntFunction<T> item) {
        return IntStream.range(0, size).mapToObj(item).toList();
    }
}
