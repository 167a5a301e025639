package io.shardwright.controllers.shardcluster;

import static io.shardwright.controllers.shardcluster.Sight.guarded;
import static io.shardwright.controllers.shardcluster.Sight.published;
import static io.shardwright.controllers.shardcluster.Sight.row;
import static io.shardwright.controllers.shardcluster.Sight.two;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.Reason;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RoutingTableCodec;
import io.shardwright.routing.TableOrder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What a cluster needs next. */
class ClusterPlannerTest {
    /** Bucket 0 has gone from ds-0 to ds-1, and a move works on it; the stored table is of before. */
    private static Sight restored() {
        return two().sees("ds-0", 1, Map.of(0, row(0, FenceState.MOVED, 2, "ds-1"), 1, owned(1, "ds-0")), List.of())
                .sees(
                        "ds-1",
                        1,
                        Map.of(0, row(0, FenceState.OWNED, 2, "ds-1"), 2, owned(2, "ds-1"), 3, owned(3, "ds-1")),
                        List.of())
                .table(published())
                .moving(0)
                .witness("web-0 (web)", 1, 57);
    }

    private static FenceRow owned(int bucket, String shard) {
        return row(bucket, FenceState.OWNED, 1, shard);
    }

    @Test
    void aLostHistoryIsToldBeforeTheTableIsPublishedAnew() {
        Sight restored = restored();
        assertThat(restored.plan().table()).isEmpty();

        ClusterPlan plan = restored.after(restored.status()).plan();

        assertThat(plan.above())
                .hasValueSatisfying(witness -> assertThat(witness.who()).isEqualTo("web-0 (web)"));
        RoutingTable anew = plan.table().orElseThrow().apply(published());
        assertThat(anew.bucketMap().values()).containsExactly("ds-1", "ds-0", "ds-1", "ds-1");
        assertThat(anew.epochs().get(0)).isEqualTo(2);
    }

    @Test
    void aTableIsNotPublishedAnewWhileABucketHasNoOwnerOrAShardIsSilent() {
        Sight ownerless = restored();
        ownerless.sees("ds-1", 1, Map.of(2, owned(2, "ds-1"), 3, owned(3, "ds-1")), List.of());
        Sight silent = restored().broken("ds-1", Problem.Kind.UNREACHABLE, "ds-1 does not answer");

        assertThat(ownerless.after(ownerless.status()).plan().table()).isEmpty();
        assertThat(ownerless.status().nextAction()).contains("buckets have no owner, the first is 0");
        assertThat(silent.after(silent.status()).plan().table()).isEmpty();
    }

    /** The backup is of before a shard was added that a move uses: its spec is not obeyed, and neither is its table. */
    @Test
    void aTableIsNotPublishedAnewByASpecThatIsNotAccepted() {
        Sight refused = restored().moving("orders-2", "ds-0", "ds-9", 1, MovePhase.COPYING);

        assertThat(refused.after(refused.status()).plan().decision())
                .isInstanceOfSatisfying(
                        ClusterPlan.Refuse.class,
                        refuse -> assertThat(refuse.reason()).isEqualTo(Reason.SHARD_IN_USE));
        assertThat(refused.plan().table()).isEmpty();
        assertThat(Conditions.find(refused.status().conditions(), ConditionType.PROGRESSING))
                .hasValueSatisfying(one -> assertThat(one.message()).contains("it is published anew when", "ds-9"));
    }

    @Test
    void aRouterThatIsNotAheadChangesNothing() {
        Sight behind = guarded().table(published()).witness("web-0 (web)", 1, 1);
        RoutingTable table = published().withOrder(new TableOrder(1, 1, 1));

        assertThat(behind.table(table).status())
                .isEqualTo(guarded().table(table).status());
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
    void aFenceOfANewerOperatorIsRefusedNeverRepairedAndItsRowsStayUnknown() {
        ShardClusterStatus before = guarded().table(published()).status();
        Sight sight =
                two().sees("ds-0", 1, 0, 1).newer("ds-1").table(published()).after(before);

        ClusterPlan plan = sight.plan();

        assertThat(plan.decision()).isInstanceOfSatisfying(ClusterPlan.Refuse.class, refuse -> {
            assertThat(refuse.about()).isEqualTo(ConditionType.FENCE_INSTALLED);
            assertThat(refuse.reason()).isEqualTo(Reason.FENCE_NEWER);
            assertThat(refuse.nextAction()).contains("run that version again");
        });
        assertThat(plan.table()).isEmpty();
        assertThat(sight.status().shards().get("ds-1").buckets())
                .as("it may not leave the list because nobody could count")
                .isEqualTo(before.shards().get("ds-1").buckets())
                .isPositive();
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
}
