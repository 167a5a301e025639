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
import io.shardwright.routing.FenceState;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is wrong with a shard that nobody needs yet holds nobody else. */
class IdleShardsTest {
    private static Sight with(Sight others, Problem.Kind kind) {
        return others.declared("ds-2")
                .broken("ds-2", kind, "ds-2:5432 cannot be used")
                .table(published());
    }

    @Test
    void anUnreachableNewShardHoldsNeitherMovesNorTheTableOfTheOthers() {
        Sight moved = two().sees(
                        "ds-0",
                        1,
                        Map.of(0, row(0, FenceState.MOVED, 2, "ds-1"), 1, row(1, FenceState.OWNED, 1, "ds-0")),
                        List.of())
                .sees(
                        "ds-1",
                        1,
                        Map.of(
                                0, row(0, FenceState.OWNED, 2, "ds-1"),
                                2, row(2, FenceState.OWNED, 1, "ds-1"),
                                3, row(3, FenceState.OWNED, 1, "ds-1")),
                        List.of());

        ClusterPlan plan = with(moved, Problem.Kind.UNREACHABLE).plan();

        assertThat(plan.decision()).isEqualTo(new ClusterPlan.Guarded());
        assertThat(plan.table().orElseThrow().apply(published()).bucketMap().encode())
                .isEqualTo("ds-1*1,ds-0*1,ds-1*2");
        assertThat(plan.aside().get("ds-2").reason()).isEqualTo(Reason.UNREACHABLE_SHARD);
    }

    @Test
    void whatMovesAskForStaysTrueAndTheShardIsNamed() {
        for (Problem.Kind kind : List.of(Problem.Kind.UNREACHABLE, Problem.Kind.TABLE_MISSING)) {
            ShardClusterStatus status = with(guarded(), kind).status();

            for (ConditionType type :
                    List.of(ConditionType.ACCEPTED, ConditionType.REACHABLE, ConditionType.FENCE_INSTALLED)) {
                assertThat(Conditions.isTrue(status.conditions(), type))
                        .as("%s %s", kind, type)
                        .isTrue();
            }
            assertThat(Conditions.isTrue(status.conditions(), ConditionType.READY))
                    .isFalse();
            assertThat(Conditions.find(status.conditions(), ConditionType.READY)
                            .orElseThrow()
                            .message())
                    .contains("ds-2:5432 cannot be used");
            assertThat(status.nextAction()).startsWith("ds-2: ");
        }
    }

    @Test
    void aShardThatOwnsBucketsOrThatAMoveNeedsHoldsTheCluster() {
        Sight owner = two().sees("ds-0", 1, 0, 1)
                .broken("ds-1", Problem.Kind.UNREACHABLE, "ds-1 does not answer")
                .table(published());
        Sight target = with(guarded(), Problem.Kind.UNREACHABLE).moving(0, "ds-2", MovePhase.COPYING);
        Sight waiting = with(guarded(), Problem.Kind.UNREACHABLE).moving(0, "ds-2", MovePhase.PENDING);

        assertThat(owner.plan().decision()).isInstanceOf(ClusterPlan.Refuse.class);
        assertThat(target.plan().decision()).isInstanceOf(ClusterPlan.Refuse.class);
        assertThat(waiting.plan().decision()).isEqualTo(new ClusterPlan.Guarded());
    }

    @Test
    void everyShardIsNeededBeforeThereIsATable() {
        Sight first = two().sees("ds-0", 0).broken("ds-1", Problem.Kind.UNREACHABLE, "ds-1 does not answer");

        assertThat(first.plan().decision()).isInstanceOf(ClusterPlan.Refuse.class);
    }
}
