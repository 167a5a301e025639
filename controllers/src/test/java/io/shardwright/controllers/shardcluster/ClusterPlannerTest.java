package io.shardwright.controllers.shardcluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.controllers.world.Golden;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.Reason;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.dataplane.Placement;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RoutingTableCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What a cluster needs next, and what its status says of it. */
class ClusterPlannerTest {
    private static final Golden GOLDEN = new Golden("ShardCluster");
    private static final Instant EIGHT = Instant.parse("2026-03-01T08:00:00Z");
    private static final String SPEC = """
            metadata: {name: orders, namespace: shop, generation: 3, uid: 00000000-0000-0000-0000-000000000007}
            spec:
              engine: PostgreSQL
              database: shop
              suspend: %s
              sharding: {buckets: 4, hash: MD5, keyType: Int64, tables: [{name: orders, shardKey: tenant_id}]}
              access: {operator: {secretRef: {name: op}}, tls: {mode: Disable}}
              routers: [{role: Web, podSelector: {matchLabels: {app: web}}}]
              shards:
            %s
            """;

    /** An observation in the making. */
    private static final class Sight {
        private final List<String> shards = new ArrayList<>();
        private final SortedMap<String, ShardSight> sights = new TreeMap<>();
        private final SortedMap<String, Placement> placements = new TreeMap<>();
        private final List<ClusterObservation.ActiveMove> moves = new ArrayList<>();
        private Optional<String> unreadable = Optional.empty();
        private Errands.State errand = Errands.State.IDLE;
        private Optional<RoutingTable> table = Optional.empty();
        private ShardClusterStatus stored;
        private boolean suspended;
        private Optional<String> mirrorFault = Optional.empty();
        private boolean looked = true;
        private boolean unarmed;
        private boolean guarded;
        private Duration age = Duration.ofSeconds(1);

        Sight shard(String name, String host, int weight) {
            shards.add("  - {name: %s, weight: %d, instances: [{name: a, host: %s, port: 5432}]}"
                    .formatted(name, weight, host));
            return this;
        }

        Sight declared(String name) {
            return shard(name, name, 100);
        }

        Sight sees(String name, int fenceVersion, Integer... owned) {
            SortedMap<Integer, FenceRow> fence = new TreeMap<>();
            Stream.of(owned).forEach(bucket -> fence.put(bucket, row(bucket, FenceState.OWNED, 1, name)));
            return sees(name, fenceVersion, fence, List.of());
        }

        Sight sees(String name, int fenceVersion, Map<Integer, FenceRow> fence, List<Problem> problems) {
            boolean answers = problems.stream().allMatch(one -> one.kind() == Problem.Kind.FENCE_DAMAGED);
            sights.put(
                    name,
                    new ShardSight(
                            name,
                            answers ? Optional.of(new ShardAccess.Endpoint("a", name, 5432)) : Optional.empty(),
                            answers ? "17.2" : "",
                            answers ? "system-" + name : "",
                            1,
                            fenceVersion,
                            fence,
                            fenceVersion > 0 && !unarmed,
                            Set.of(),
                            "schema-" + fenceVersion,
                            problems));
            return this;
        }

        Sight broken(String name, Problem.Kind kind, String message) {
            return sees(name, 0, Map.of(), List.of(new Problem(kind, message)));
        }

        Sight rows(String shard, Map<Integer, Long> rows, Map<Integer, Long> byModulo) {
            Map<Integer, List<String>> examples = new TreeMap<>();
            rows.keySet().forEach(bucket -> examples.put(bucket, List.of("k" + bucket)));
            placements.put(shard, new Placement(shard, rows, examples, byModulo, Map.of(), guarded));
            return this;
        }

        /** Shards seen from here on have a fence that is not armed. */
        Sight unarmed() {
            unarmed = true;
            return this;
        }

        /** Rows from here on were counted with every trigger in place. */
        Sight guardedScan() {
            guarded = true;
            return this;
        }

        Sight scanned(Duration ago) {
            age = ago;
            return this;
        }

        Sight notLookedAt() {
            looked = false;
            return this;
        }

        Sight unreadable(String message) {
            unreadable = Optional.of(message);
            return this;
        }

        Sight suspended() {
            suspended = true;
            return this;
        }

        Sight failed(ClusterStep step, String message, boolean lasting) {
            errand = new Errands.State(
                    Optional.empty(),
                    Optional.of(new Errands.Failure(step, message, lasting, false, Duration.ZERO, 0)));
            return this;
        }

        Sight table(RoutingTable published) {
            table = Optional.of(published);
            return this;
        }

        Sight moving(int bucket) {
            return moving(bucket, MovePhase.SWITCHING);
        }

        Sight moving(int bucket, MovePhase phase) {
            return moving(bucket, "ds-1", phase);
        }

        Sight moving(int bucket, String to, MovePhase phase) {
            moves.add(new ClusterObservation.ActiveMove("orders-1", "ds-0", to, new TreeSet<>(List.of(bucket)), phase));
            return this;
        }

        Sight mirrorFails() {
            mirrorFault = Optional.of("ConfigMap orders-routing is behind the routing table");
            return this;
        }

        Sight after(ShardClusterStatus status) {
            stored = status;
            return this;
        }

        ClusterObservation seen() {
            ShardCluster cluster =
                    Serialization.unmarshal(SPEC.formatted(suspended, String.join("\n", shards)), ShardCluster.class);
            cluster.setStatus(stored);
            ClusterTarget target = new ClusterTarget(List.of(), null);
            return new ClusterObservation(
                    cluster,
                    new ClusterObservation.Access(List.of(), unreadable),
                    looked ? Optional.of(new ClusterSight(target, sights, true)) : Optional.empty(),
                    errand,
                    placements.isEmpty()
                            ? Optional.empty()
                            : Optional.of(new Scans.Scan(placements, Duration.ofSeconds(1), age)),
                    table,
                    moves,
                    Optional.empty(),
                    0,
                    0.1,
                    1,
                    mirrorFault);
        }

        ClusterPlan plan() {
            return ClusterPlanner.plan(seen(), 1);
        }

        ShardClusterStatus status() {
            ClusterObservation seen = seen();
            return ClusterStatusFactory.status(seen, ClusterPlanner.plan(seen, 1), Published.of(seen.table()), EIGHT);
        }
    }

    private static FenceRow row(int bucket, FenceState state, long epoch, String owner) {
        return new FenceRow(bucket, state, epoch, owner, null);
    }

    private static Sight two() {
        return new Sight().declared("ds-0").declared("ds-1");
    }

    private static Sight guarded() {
        return two().sees("ds-0", 1, 0, 1).sees("ds-1", 1, 2, 3);
    }

    private static RoutingTable published() {
        return guarded().plan().table().orElseThrow().apply(null);
    }

    @Test
    void scansBeforeAnythingIsInstalled() {
        ClusterPlan.Decision decision =
                two().sees("ds-0", 0).sees("ds-1", 0).plan().decision();

        assertThat(decision)
                .isInstanceOfSatisfying(
                        ClusterPlan.Scan.class,
                        scan -> assertThat(scan.shards()).containsExactly("ds-0", "ds-1"));
    }

    private static ClusterPlan.Adopt adopt(ClusterStep step, Map<String, List<Integer>> buckets) {
        SortedMap<String, SortedSet<Integer>> sorted = new TreeMap<>();
        buckets.forEach((shard, some) -> sorted.put(shard, new TreeSet<>(some)));
        return new ClusterPlan.Adopt(step, sorted);
    }

    @Test
    void preparesEveryShardWithTheBucketsThatWereFoundThere() {
        Sight scanned = two().sees("ds-0", 0)
                .sees("ds-1", 0)
                .rows("ds-0", Map.of(2, 9L), Map.of())
                .rows("ds-1", Map.of(), Map.of());

        assertThat(scanned.plan().decision())
                .isEqualTo(adopt(ClusterStep.PREPARE, Map.of("ds-0", List.of(2), "ds-1", List.of())));
        assertThat(scanned.scanned(Duration.ofMinutes(2)).plan().decision()).isInstanceOf(ClusterPlan.Scan.class);
    }

    @Test
    void countsAgainWhenEveryTriggerStandsBeforeAnythingIsArmed() {
        Sight installed = two().unarmed().sees("ds-0", 1, 2).sees("ds-1", 1);
        installed.rows("ds-0", Map.of(2, 9L), Map.of()).rows("ds-1", Map.of(), Map.of());
        assertThat(installed.plan().decision()).isInstanceOf(ClusterPlan.Scan.class);

        installed.guardedScan().rows("ds-0", Map.of(2, 9L), Map.of()).rows("ds-1", Map.of(3, 1L), Map.of());
        assertThat(installed.plan().decision()).isEqualTo(adopt(ClusterStep.ADOPT, Map.of("ds-1", List.of(3))));

        installed.sees("ds-1", 1, 3);
        assertThat(installed.plan().decision())
                .isEqualTo(adopt(ClusterStep.ARM, Map.of("ds-0", List.of(), "ds-1", List.of())));
        assertThat(installed.plan().table()).isEmpty();
    }

    @Test
    void spreadsEmptyBucketsByWeightOnceNoFirstWriteCanComeAnyMore() {
        ClusterPlan.Decision decision = two().sees("ds-0", 1, 2)
                .sees("ds-1", 1)
                .guardedScan()
                .rows("ds-0", Map.of(2, 9L), Map.of())
                .rows("ds-1", Map.of(), Map.of())
                .plan()
                .decision();

        assertThat(decision).isEqualTo(adopt(ClusterStep.ADOPT, Map.of("ds-0", List.of(1), "ds-1", List.of(0, 3))));
    }

    @Test
    void finishesAnAdoptionThatWasInterrupted() {
        ClusterPlan.Decision decision = two().unarmed()
                .sees("ds-0", 1, 0, 1)
                .sees("ds-1", 0)
                .rows("ds-0", Map.of(0, 5L), Map.of())
                .rows("ds-1", Map.of(3, 5L), Map.of())
                .plan()
                .decision();

        assertThat(decision).isEqualTo(adopt(ClusterStep.PREPARE, Map.of("ds-1", List.of(3))));
    }

    @Test
    void aBucketThatGotRowsOnASecondShardAfterTheFirstScanIsNamedAndNothingIsArmed() {
        Sight sight = two().unarmed()
                .sees("ds-0", 1, 2)
                .sees("ds-1", 1)
                .guardedScan()
                .rows("ds-0", Map.of(2, 9L), Map.of())
                .rows("ds-1", Map.of(2, 1L), Map.of());

        assertThat(sight.plan().decision()).isInstanceOfSatisfying(ClusterPlan.Refuse.class, refuse -> {
            assertThat(refuse.reason()).isEqualTo(Reason.MISPLACED_KEYS);
            assertThat(refuse.message())
                    .contains("bucket 2: ds-0 9 rows", "ds-1 1 rows", "no write of them is refused")
                    .doesNotContain("nothing was installed");
        });
        assertThat(sight.rows("ds-1", Map.of(), Map.of())
                        .unarmed()
                        .sees("ds-1", 1, 2)
                        .plan()
                        .decision())
                .isEqualTo(adopt(ClusterStep.RELEASE, Map.of("ds-1", List.of(2))));
    }

    @Test
    void whoIsInTheWayIsStillNamedWhileItIsTriedAgain() {
        Sight sight = two().unarmed().sees("ds-0", 1).sees("ds-1", 1);
        sight.errand = new Errands.State(
                Optional.of(ClusterStep.INSTALL_FENCE),
                Optional.of(new Errands.Failure(
                        ClusterStep.INSTALL_FENCE, "session 7 of batch", false, false, Duration.ZERO, 0)));

        assertThat(sight.plan().decision())
                .isInstanceOfSatisfying(
                        ClusterPlan.Wait.class,
                        wait -> assertThat(wait.message()).contains("session 7 of batch"));
    }

    @Test
    void emptyBucketsOfArmedFencesAreGivenAwayWhileAnotherBucketIsInDoubt() {
        ClusterPlan.Decision decision = two().sees("ds-0", 1, 2)
                .sees("ds-1", 1, 2)
                .guardedScan()
                .rows("ds-0", Map.of(2, 9L), Map.of())
                .rows("ds-1", Map.of(2, 1L), Map.of())
                .plan()
                .decision();

        assertThat(decision).isEqualTo(adopt(ClusterStep.ADOPT, Map.of("ds-0", List.of(1), "ds-1", List.of(0, 3))));
    }

    @Test
    void anUnarmedShardBehindATableIsArmed() {
        Sight sight =
                two().sees("ds-0", 1, 0, 1).unarmed().sees("ds-1", 1, 2, 3).table(published());

        assertThat(sight.plan().decision()).isEqualTo(adopt(ClusterStep.ARM, Map.of("ds-1", List.of())));
    }

    @Test
    void rowsOfAnAppendedTableAreMisplacedKeysAndNotReadAgainAtOnce() {
        Sight sight = guarded().table(published());
        sight.errand = new Errands.State(
                Optional.empty(),
                Optional.of(new Errands.Failure(
                        ClusterStep.INSTALL_FENCE, "ds-0: table items", false, true, Duration.ofSeconds(60), 0)));

        for (Duration later : List.of(Duration.ofNanos(1), Duration.ofSeconds(599))) {
            assertThat(ClusterPlanner.plan(sight.seen(), later.toNanos()).decision())
                    .isInstanceOfSatisfying(
                            ClusterPlan.Refuse.class,
                            refuse -> assertThat(refuse.reason()).isEqualTo(Reason.MISPLACED_KEYS));
        }
        assertThat(ClusterPlanner.plan(sight.seen(), Duration.ofSeconds(601).toNanos())
                        .decision())
                .isEqualTo(new ClusterPlan.Guarded());
    }

    @Test
    void writesNoOwnershipWhereATableOnceNamedAnOwner() {
        ClusterPlan.Decision decision = two().sees("ds-0", 1, 0, 1)
                .sees("ds-1", 1, 3)
                .table(published())
                .plan()
                .decision();

        assertThat(decision)
                .isInstanceOfSatisfying(
                        ClusterPlan.Refuse.class,
                        refuse -> assertThat(refuse.reason()).isEqualTo(Reason.OWNERSHIP_UNKNOWN));
    }

    @Test
    void aNewShardIsScannedThenFencedAndGetsNoOwnership() {
        Sight third = guarded().declared("ds-2").sees("ds-2", 0).table(published());
        assertThat(third.plan().decision())
                .isEqualTo(
                        new ClusterPlan.Scan(new TreeSet<>(List.of("ds-2")), ClusterPlanner.doing(ClusterStep.SCAN)));

        ClusterPlan.Decision decision =
                third.rows("ds-2", Map.of(), Map.of()).plan().decision();

        assertThat(decision).isInstanceOf(ClusterPlan.InstallFence.class);
        assertThat(((ClusterPlan.InstallFence) decision).shards()).containsExactly("ds-2");
    }

    @Test
    void aNewShardWithRowsIsRefused() {
        ClusterPlan.Decision decision = guarded()
                .declared("ds-2")
                .sees("ds-2", 0)
                .rows("ds-2", Map.of(1, 7L), Map.of())
                .table(published())
                .plan()
                .decision();

        assertThat(decision).isInstanceOfSatisfying(ClusterPlan.Refuse.class, refuse -> {
            assertThat(refuse.reason()).isEqualTo(Reason.MISPLACED_KEYS);
            assertThat(refuse.message()).contains("ds-2 holds 7 rows", "k1");
        });
    }

    @Test
    void aDamagedFenceIsRepairedUnlessAMoveIsSwitching() {
        List<Problem> damaged = List.of(new Problem(Problem.Kind.FENCE_DAMAGED, "a trigger is disabled"));
        Map<Integer, FenceRow> fence =
                Map.of(2, row(2, FenceState.OWNED, 1, "ds-1"), 3, row(3, FenceState.OWNED, 1, "ds-1"));
        Sight sight =
                two().sees("ds-0", 1, 0, 1).sees("ds-1", 1, fence, damaged).table(published());

        assertThat(sight.plan().decision()).isInstanceOf(ClusterPlan.InstallFence.class);
        assertThat(sight.moving(0, MovePhase.COPYING).plan().decision()).isInstanceOf(ClusterPlan.InstallFence.class);
        assertThat(sight.moving(1, MovePhase.SWITCHING).plan().decision()).isInstanceOf(ClusterPlan.Wait.class);
    }

    @Test
    void aBucketBetweenTwoOwnersIsItsMovesAffair() {
        Map<Integer, FenceRow> fence =
                Map.of(0, row(0, FenceState.MOVED, 2, "ds-1"), 1, row(1, FenceState.OWNED, 1, "ds-0"));
        Sight sight =
                two().sees("ds-0", 1, fence, List.of()).sees("ds-1", 1, 2, 3).table(published());

        assertThat(sight.plan().decision()).isInstanceOf(ClusterPlan.Refuse.class);
        assertThat(sight.moving(0).plan().decision()).isEqualTo(new ClusterPlan.Guarded());
    }

    @Test
    void theTableFollowsAHigherEpochButNeverAnOlderSight() {
        Map<Integer, FenceRow> gone =
                Map.of(0, row(0, FenceState.MOVED, 2, "ds-1"), 1, row(1, FenceState.OWNED, 1, "ds-0"));
        Map<Integer, FenceRow> came = Map.of(
                0, row(0, FenceState.OWNED, 2, "ds-1"),
                2, row(2, FenceState.OWNED, 1, "ds-1"),
                3, row(3, FenceState.OWNED, 1, "ds-1"));
        Sight moved = two().sees("ds-0", 1, gone, List.of())
                .sees("ds-1", 1, came, List.of())
                .table(published());
        RoutingTable folded = moved.plan().table().orElseThrow().apply(published());
        assertThat(folded.bucketMap().encode()).isEqualTo("ds-1*1,ds-0*1,ds-1*2");

        assertThat(guarded().table(folded).plan().table()).isEmpty();
        assertThat(moved.moving(0).plan().table()).isEmpty();
    }

    @Test
    void aClusterMadeAgainWithAnotherHashIsRefused() {
        String modulo = RoutingTableCodec.encode(published()).replace("\"MD5\"", "\"Modulo\"");
        Sight sight = guarded().table(RoutingTableCodec.decode(modulo));

        assertThat(sight.plan().decision().toString())
                .contains("spec.sharding.hash: MD5, but the data is placed by Modulo");
    }

    @Test
    void twoShardsOnOneServerAreRefused() {
        Sight sight =
                new Sight().shard("ds-0", "db", 100).shard("ds-1", "db", 100).notLookedAt();

        assertThat(sight.plan().decision())
                .isInstanceOfSatisfying(
                        ClusterPlan.Refuse.class,
                        refuse -> assertThat(refuse.reason()).isEqualTo(Reason.DUPLICATE_ENDPOINT));
    }

    @Test
    void aShardMayGoWhenOnlyAMoveThatHasNotBegunNamesIt() {
        Sight sight = guarded().table(published()).moving(0, "ds-2", MovePhase.PENDING);

        assertThat(sight.plan().decision()).isEqualTo(new ClusterPlan.Guarded());
    }

    @Test
    void aClusterSaysTheSameWhileItsMovesGoOn() {
        ShardClusterStatus copying = guarded()
                .table(published())
                .moving(0, "ds-1", MovePhase.COPYING)
                .status();

        assertThat(guarded()
                        .table(published())
                        .moving(0, "ds-1", MovePhase.VERIFYING)
                        .status())
                .isEqualTo(copying);
    }

    @Test
    void aFailedPassIsNeverReady() {
        ShardCluster cluster = guarded().table(published()).seen().cluster();
        cluster.setStatus(guarded().table(published()).status());

        ShardClusterStatus status = ClusterStatusFactory.faulty(cluster, "the API server answers 500", EIGHT);

        assertThat(Conditions.find(status.conditions(), ConditionType.PROGRESSING)
                        .orElseThrow()
                        .message())
                .isEqualTo("the API server answers 500");
        assertThat(Conditions.isTrue(status.conditions(), ConditionType.READY)).isFalse();
        assertThat(Conditions.isTrue(status.conditions(), ConditionType.FENCE_INSTALLED))
                .isTrue();
        assertThat(status.routing()).isEqualTo(cluster.getStatus().routing());
    }

    private static Map<String, Sight> scenarios() {
        Map<String, Sight> all = new LinkedHashMap<>();
        all.put("not-looked-at-yet", two().notLookedAt());
        all.put("secret-unreadable", two().notLookedAt().unreadable("Secret op does not exist in namespace shop"));
        all.put("scanning", two().sees("ds-0", 0).sees("ds-1", 0));
        all.put(
                "misplaced-keys-that-modulo-would-fit",
                two().sees("ds-0", 0)
                        .sees("ds-1", 0)
                        .rows("ds-0", Map.of(1, 10L, 2, 4L), Map.of(0, 14L))
                        .rows("ds-1", Map.of(1, 3L), Map.of(1, 3L)));
        all.put("ready", guarded().table(published()));
        all.put(
                "one-shard-unreachable-keeps-what-was-known",
                two().sees("ds-0", 1, 0, 1)
                        .broken("ds-1", Problem.Kind.UNREACHABLE, "ds-1:5432 does not answer: connection refused")
                        .table(published())
                        .after(guarded().table(published()).status()));
        all.put("moving", guarded().table(published()).moving(0));
        all.put("table-not-mirrored", guarded().table(published()).mirrorFails());
        all.put("shard-left-while-a-move-uses-it", guarded().table(published()).moving(0, "ds-2", MovePhase.COPYING));
        all.put(
                "suspended-before-adoption",
                two().sees("ds-0", 0).sees("ds-1", 0).suspended());
        all.put(
                "draining",
                new Sight()
                        .declared("ds-0")
                        .shard("ds-1", "ds-1", 0)
                        .sees("ds-0", 1, 0, 1)
                        .sees("ds-1", 1, 2, 3)
                        .table(published()));
        all.put(
                "installation-failed",
                two().sees("ds-0", 0)
                        .sees("ds-1", 0)
                        .failed(ClusterStep.ADOPT, "ds-1: permission denied for schema public", true));
        return all;
    }

    @TestFactory
    Stream<DynamicTest> saysWhatIsSeenAndWhatToDo() {
        return scenarios().entrySet().stream()
                .map(one -> DynamicTest.dynamicTest(
                        one.getKey(),
                        () -> GOLDEN.check(one.getKey(), one.getValue().status())));
    }

    @Test
    void noScenarioIsMissingAndNoFileIsLeftOver() {
        GOLDEN.nothingElseThan(scenarios().keySet());
    }

    @Test
    void neverReadyWhileAnythingIsLeftToDo() {
        scenarios().forEach((name, sight) -> {
            boolean ready = Conditions.isTrue(sight.status().conditions(), ConditionType.READY);
            assertThat(ready).as(name).isEqualTo(name.equals("ready"));
        });
    }

    @Test
    void theSameSightTwiceIsTheSameStatus() {
        scenarios().forEach((name, sight) -> {
            ShardClusterStatus once = sight.status();
            assertThat(sight.after(once).status()).as(name).isEqualTo(once);
        });
    }
}
