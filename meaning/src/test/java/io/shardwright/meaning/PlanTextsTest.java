package io.shardwright.meaning;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.shardpolicy.ShardPolicySpec;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.PlannedMove;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.planning.placement.RebalancePlan;
import io.shardwright.routing.RunLengthMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PlanTextsTest {
    @Test
    void aPlanIsShownWithItsHashItsMovesAndItsFigures() {
        RebalancePlan wanted = wanted(8, "ds-0*8", "ds-0", "ds-1");

        Plan shown = PlanTexts.shown(wanted).orElseThrow();

        assertThat(shown.hash()).isEqualTo(wanted.hash());
        assertThat(shown.moves()).containsExactly(new PlannedMove("ds-0", "ds-1", List.of(4, 5, 6, 7), null));
        assertThat(List.of(shown.movedShare(), shown.lowerBound(), shown.imbalanceBefore(), shown.imbalanceAfter()))
                .containsExactly("50.0%", "50.0%", "2.00", "1.00");
        assertThat(shown.createdAt()).isNull();
    }

    @Test
    void nothingToMoveIsNoPlan() {
        assertThat(PlanTexts.shown(wanted(8, "ds-0*4,ds-1*4", "ds-0", "ds-1"))).isEmpty();
    }

    @Test
    void noMoveTakesMoreBucketsThanItsKindAllows() {
        Plan shown =
                PlanTexts.shown(wanted(20_000, "ds-0*20000", "ds-0", "ds-1")).orElseThrow();

        List<Integer> all = new ArrayList<>();
        shown.moves().forEach(move -> all.addAll(move.buckets()));
        assertThat(shown.moves()).extracting(move -> move.buckets().size()).containsExactly(4096, 4096, 1808);
        assertThat(all).hasSize(10_000).doesNotHaveDuplicates().isSorted();
    }

    private static RebalancePlan wanted(int buckets, String owners, String... shards) {
        Map<String, PlanInputs.Shard> named = new TreeMap<>();
        for (String shard : shards) {
            named.put(shard, PlanInputs.Shard.general(100));
        }
        return Plans.wanted(
                new PlanInputs(
                        "orders",
                        new TreeMap<>(named),
                        RunLengthMap.parse(owners, buckets, owner -> owner),
                        new TreeMap<>()),
                defaults().rebalancing());
    }

    private static ShardPolicySpec defaults() {
        return Policies.specOf(Optional.empty());
    }

    @Test
    void aTextIsNotCutInTheMiddleOfACharacter() {
        assertThat(PlanTexts.cut("ab\ud83d\ude00", 3)).isEqualTo("ab");
        assertThat(PlanTexts.cut("ab\ud83d\ude00", 4)).isEqualTo("ab\ud83d\ude00");
        assertThat(PlanTexts.cut("abcd", 3)).isEqualTo("abc");
    }
}
