package io.shardwright.controllers.resources;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardpolicy.Rebalancing;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.PlannedMove;
import java.util.List;
import org.junit.jupiter.api.Test;

class MoveResourcesTest {
    private static final Plan PLAN = new Plan(
            "e".repeat(64),
            null,
            List.of(
                    new PlannedMove("ds-0", "ds-2", List.of(3), null),
                    new PlannedMove("ds-0", "ds-2", List.of(4), null)),
            null,
            null,
            null,
            null,
            null);

    private static List<BucketMove> moves(String soak, String writeHoldBudget) {
        return MoveResources.moves("shop", "orders", PLAN, policy(soak, writeHoldBudget));
    }

    private static Rebalancing policy(String soak, String writeHoldBudget) {
        return new Rebalancing(null, null, null, writeHoldBudget, null, null, null, null, soak, null, null, null);
    }

    @Test
    void aMoveIsPromisedTheSoakAndTheHoldOfThePolicyWhenItIsMade() {
        assertThat(moves("2h", "20ms")).hasSize(2).allSatisfy(move -> {
            assertThat(move.getSpec().soak()).isEqualTo("2h");
            assertThat(move.getSpec().writeHoldBudget()).isEqualTo("20ms");
        });
    }

    @Test
    void aPolicyThatWasChangedWhileItsMovesWereMadeFindsThemAgain() {
        assertThat(MoveResources.isSame(
                        moves("0s", "1s").get(1), moves("2h", "20ms").get(1)))
                .isTrue();
        assertThat(MoveResources.isSame(
                        moves("2h", "20ms").get(0), moves("2h", "20ms").get(1)))
                .isFalse();
    }
}
