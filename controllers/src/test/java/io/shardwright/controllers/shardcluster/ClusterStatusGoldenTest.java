package io.shardwright.controllers.shardcluster;

import static io.shardwright.controllers.shardcluster.Sight.EIGHT;
import static io.shardwright.controllers.shardcluster.Sight.guarded;
import static io.shardwright.controllers.shardcluster.Sight.published;
import static io.shardwright.controllers.shardcluster.Sight.two;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.controllers.world.Golden;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.leftovers.Finding;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What the status of a cluster says of what is seen, and what to do. */
class ClusterStatusGoldenTest {
    private static final Golden GOLDEN = new Golden("ShardCluster");

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
    void aMoveThatSoaksHasDoneWhatWasAskedAndStillNeedsItsShards() {
        ShardClusterStatus soaking = guarded()
                .table(published())
                .moving(0, "ds-1", MovePhase.REVERSIBLE)
                .status();
        ShardClusterStatus drained = drained(MovePhase.REVERSIBLE).status();
        Sight shardGone = guarded().table(published()).moving(0, "ds-2", MovePhase.REVERSIBLE);

        assertThat(soaking).isEqualTo(guarded().table(published()).status());
        assertThat(Conditions.isTrue(drained.conditions(), ConditionType.READY)).isTrue();
        assertThat(Conditions.find(drained.conditions(), ConditionType.BALANCED))
                .hasValueSatisfying(one -> assertThat(one.message()).contains("ds-2 must stay in the list"));
        assertThat(shardGone.plan().decision()).isInstanceOf(ClusterPlan.Refuse.class);
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
        all.put("table-of-a-lost-history", guarded().table(published()).witness("orders-web-7 (web)", 1, 57));
        all.put("table-not-mirrored", guarded().table(published()).mirrorFails());
        all.put("shard-left-while-a-move-uses-it", guarded().table(published()).moving(0, "ds-2", MovePhase.COPYING));
        all.put(
                "suspended-before-adoption",
                two().sees("ds-0", 0).sees("ds-1", 0).suspended());
        all.putAll(heldScenarios());
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

    /** Something, or somebody, is waited for. */
    private static Map<String, Sight> heldScenarios() {
        Map<String, Sight> all = new LinkedHashMap<>();
        all.put("suspended-while-moving", guarded().table(published()).moving(0).suspended());
        all.put("suspended-and-settled", guarded().table(published()).suspended());
        all.put(
                "being-deleted-while-a-move-is-at-work",
                guarded().table(published()).moving(0, MovePhase.COPYING).deleted());
        all.put("new-shard-unreachable", newcomer());
        all.put("drained-and-not-yet-cleaned", drained(MovePhase.CLEANING_UP));
        all.put(
                "moves-that-are-gone-have-left-something",
                guarded()
                        .table(published())
                        .left(
                                new Finding(
                                        "ds-0", "slot shardwright_x_f on shard ds-0 is being read", "end its reader"),
                                new Finding("ds-1", "rows of buckets [3] may lie on shard ds-1", "delete them")));
        all.put("bucket-without-owner", withoutOwner());
        all.put(
                "routers-overdue",
                guarded()
                        .table(published())
                        .waitsFor(new AckGate.Holder(
                                "web-0 (web)", "silent for over 30 s: delete the pod or wait until it answers")));
        return all;
    }

    private static Sight withoutOwner() {
        UUID gone = new UUID(0, 1);
        return two().sees(
                        "ds-0",
                        1,
                        Map.of(
                                0,
                                Sight.row(0, FenceState.OWNED, 1, "ds-0"),
                                1,
                                new FenceRow(1, FenceState.MOVED, 2, "ds-1", gone)),
                        List.of())
                .sees(
                        "ds-1",
                        1,
                        Map.of(
                                1, new FenceRow(1, FenceState.IMPORTING, 1, null, gone),
                                2, Sight.row(2, FenceState.OWNED, 1, "ds-1"),
                                3, Sight.row(3, FenceState.MOVED, 2, "ds-0")),
                        List.of())
                .table(published());
    }

    private static Sight drained(MovePhase phase) {
        return new Sight()
                .declared("ds-0")
                .declared("ds-1")
                .shard("ds-2", "ds-2", 0)
                .sees("ds-0", 1, 0, 1)
                .sees("ds-1", 1, 2, 3)
                .sees("ds-2", 1)
                .table(published())
                .moving("orders-2", "ds-2", "ds-1", 3, phase);
    }

    private static Sight newcomer() {
        return guarded()
                .declared("ds-2")
                .broken("ds-2", Problem.Kind.UNREACHABLE, "ds-2:5432 does not answer: unknown host")
                .table(published())
                .after(guarded().table(published()).status());
    }

    @TestFactory
    Stream<DynamicTest> saysWhatIsSeenAndWhatToDo() {
        return GOLDEN.each(scenarios(), Sight::status);
    }

    @Test
    void noScenarioIsMissingAndNoFileIsLeftOver() {
        GOLDEN.nothingElseThan(scenarios().keySet());
    }

    @Test
    void neverReadyWhileAnythingIsLeftToDo() {
        scenarios().forEach((name, sight) -> {
            boolean ready = Conditions.isTrue(sight.status().conditions(), ConditionType.READY);
            boolean nothingLeft = Set.of(
                            "ready",
                            "suspended-and-settled",
                            "routers-overdue",
                            "moves-that-are-gone-have-left-something")
                    .contains(name);
            assertThat(ready).as(name).isEqualTo(nothingLeft);
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
