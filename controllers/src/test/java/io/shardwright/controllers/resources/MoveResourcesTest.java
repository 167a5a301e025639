package io.shardwright.controllers.resources;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.PlannedMove;
import java.util.List;
import org.junit.jupiter.api.Test;

class MoveResourcesTest {
    private static final Plan PLAN = new Plan(
            "e".repeat(64),
            null,
            List.of(new PlannedMove("ds-0", "ds-2", List.of(3)), new PlannedMove("ds-0", "ds-2", List.of(4))),
            null,
            null,
            null,
            null,
            null);

    private static List<BucketMove> moves(String soak) {
        return MoveResources.moves("shop", "orders", PLAN, soak);
    }

    @Test
    void aMoveIsPromisedTheSoakOfThePolicyWhenItIsMade() {
        assertThat(moves("2h"))
                .hasSize(2)
                .allSatisfy(move -> assertThat(move.getSpec().soak()).isEqualTo("2h"));
    }

    @Test
    void aPolicyThatWasChangedWhileItsMovesWereMadeFindsThemAgain() {
        assertThat(MoveResources.isSame(moves("0s").get(1), moves("2h").get(1))).isTrue();
        assertThat(MoveResources.isSame(moves("2h").get(0), moves("2h").get(1))).isFalse();
    }
}
