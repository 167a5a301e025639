package io.shardwright.planning.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.ShardRole;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class RebalancerTest {
    @Test
    void fourShardsBecomeFiveWithExactlyTwentyMoves() {
        RebalancePlan plan = Rebalancer.plan(inputs("ds-0*25,ds-1*25,ds-2*25,ds-3*25", general(5)), 0.10);

        assertThat(plan.movedBuckets()).isEqualTo(20);
        assertThat(plan.moves())
                .extracting(Batch::from, Batch::to, move -> move.buckets().size())
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("ds-0", "ds-4", 5),
                        org.assertj.core.groups.Tuple.tuple("ds-1", "ds-4", 5),
                        org.assertj.core.groups.Tuple.tuple("ds-2", "ds-4", 5),
                        org.assertj.core.groups.Tuple.tuple("ds-3", "ds-4", 5));
        assertThat(plan.movedShare()).isEqualTo(0.20);
        assertThat(plan.lowerBound()).isEqualTo(0.20);
        assertThat(plan.imbalanceBefore()).isEqualTo(1.25);
        assertThat(plan.imbalanceAfter()).isEqualTo(1.0);
        assertThat(plan.reasons())
                .containsExactly(
                        "ds-4 holds no bucket, its share is 20",
                        "the fullest shard holds 1.25 times its share, 1.10 is tolerated");
    }

    @Test
    void aDrainedShardGivesEverythingAndNothingElseMoves() {
        SortedMap<String, PlanInputs.Shard> shards = general(5);
        shards.put("ds-2", PlanInputs.Shard.general(0));

        RebalancePlan plan = Rebalancer.plan(inputs("ds-0*20,ds-1*20,ds-2*20,ds-3*20,ds-4*20", shards), 0.10);

        assertThat(plan.moves()).extracting(Batch::from).containsOnly("ds-2");
        assertThat(plan.movedBuckets()).isEqualTo(20);
        assertThat(plan.moves()).extracting(move -> move.buckets().size()).containsExactly(5, 5, 5, 5);
        assertThat(plan.reasons()).contains("ds-2 holds 20 buckets and is drained (weight 0)");
    }

    @Test
    void weightsDecideTheShares() {
        SortedMap<String, PlanInputs.Shard> shards = general(2);
        shards.put("ds-1", PlanInputs.Shard.general(300));

        RebalancePlan plan = Rebalancer.plan(inputs("ds-0*50,ds-1*50", shards), 0.10);

        assertThat(plan.moves()).singleElement().satisfies(move -> {
            assertThat(move.from()).isEqualTo("ds-0");
            assertThat(move.buckets()).hasSize(25).contains(49).doesNotContain(24);
        });
    }

    @Test
    void aDedicatedShardTakesNothingAndGivesWhatItHolds() {
        SortedMap<String, PlanInputs.Shard> shards = general(2);
        shards.put("ds-hot", new PlanInputs.Shard(ShardRole.DEDICATED, 100));

        assertThat(Rebalancer.plan(inputs("ds-0*50,ds-1*50", shards), 0.10).empty())
                .isTrue();
        assertThat(Rebalancer.plan(inputs("ds-0*48,ds-1*50,ds-hot*2", shards), 0.10)
                        .moves())
                .singleElement()
                .satisfies(move -> assertThat(move.from() + " " + move.to() + " " + move.buckets())
                        .isEqualTo("ds-hot ds-0 [98, 99]"));
    }

    @Test
    void anImbalanceWithinTheToleranceStays() {
        RebalancePlan tolerated = Rebalancer.plan(inputs("ds-0*27,ds-1*23,ds-2*25,ds-3*25", general(4)), 0.10);
        RebalancePlan acted = Rebalancer.plan(inputs("ds-0*28,ds-1*22,ds-2*25,ds-3*25", general(4)), 0.10);

        assertThat(tolerated.empty()).isTrue();
        assertThat(tolerated.reasons()).containsExactly("in balance: the fullest shard holds 1.08 times its share");
        assertThat(acted.movedBuckets()).isEqualTo(3);
    }

    @Test
    void anEmptyShardIsNeverTolerated() {
        RebalancePlan plan = Rebalancer.plan(
                inputs("ds-0*10,ds-1*10,ds-2*10,ds-3*10,ds-4*10,ds-5*10,ds-6*10,ds-7*10,ds-8*10,ds-9*10", general(11)),
                0.10);

        assertThat(plan.imbalanceBefore()).isLessThan(1.11);
        assertThat(plan.movedBuckets()).isEqualTo(9);
    }

    @Test
    void aShareBelowOneIsNoReasonToMove() {
        RebalancePlan plan = Rebalancer.plan(inputs("ds-1*1", general(2)), 0.10);

        assertThat(plan.empty()).isTrue();
        assertThat(plan.imbalanceBefore()).isEqualTo(2.0);
        assertThat(plan.reasons()).containsExactly("in balance: the fullest shard holds 2.00 times its share");
    }

    @Test
    void whatIsJustToleratedStays() {
        assertThat(Rebalancer.plan(inputs("ds-0*5,ds-1*3", general(2)), 0.25).empty())
                .isTrue();
        assertThat(Rebalancer.plan(inputs("ds-0*5,ds-1*3", general(2)), 0.24).movedBuckets())
                .isEqualTo(1);
    }

    /** Of three shards with ten buckets: the whole part of a share is 3, and one shard has one more. */
    @Test
    void theLowerBoundCountsWhatMustLeaveAndWhatMustArrive() {
        assertThat(Rebalancer.plan(inputs("ds-0*10", general(3)), 0.10).lowerBound())
                .isEqualTo(0.6);
        assertThat(Rebalancer.plan(inputs("ds-0*6,ds-1*4", general(3)), 0.10).lowerBound())
                .isEqualTo(0.3);
        assertThat(Rebalancer.plan(inputs("ds-0*4,ds-1*3,ds-9*3", general(3)), 0.10)
                        .lowerBound())
                .isEqualTo(0.3);
        assertThat(Rebalancer.plan(inputs("ds-0*4,ds-1*3,ds-2*3", general(3)), 0.10)
                        .lowerBound())
                .isZero();
    }

    @Test
    void whoMayHoldNothingIsNamedWithTheReason() {
        SortedMap<String, PlanInputs.Shard> shards = general(1);
        shards.put("ds-hot", new PlanInputs.Shard(ShardRole.DEDICATED, 100));

        assertThat(Rebalancer.plan(inputs("ds-0*20,ds-9*1,ds-hot*2", shards), 0.10)
                        .reasons())
                .containsExactly(
                        "ds-9 holds 1 bucket and is not in the topology",
                        "ds-hot holds 2 buckets and serves pinned keys only");
    }

    @Test
    void withoutAnyWeightThereIsNoPlan() {
        SortedMap<String, PlanInputs.Shard> shards = general(1);
        shards.put("ds-0", PlanInputs.Shard.general(0));

        assertThatThrownBy(() -> Rebalancer.plan(inputs("ds-0*4", shards), 0.1))
                .hasMessage("no General shard has a weight above 0: give one a weight");
    }

    /** The fewest moves of all placements in which each shard has the whole part of its share, or one more. */
    @Property(tries = 400)
    void noBalancedPlacementByLargestRemaindersMovesFewer(@ForAll("cases") PlanInputs inputs) {
        RebalancePlan plan = Rebalancer.plan(inputs, -1);

        List<String> after = applied(inputs, plan);
        Map<String, Quotas.Share> shares = Quotas.shares(inputs);
        assertThat(distance(shares, count(after))).isEqualTo(leastDistance(shares, after.size()));
        assertThat(plan.movedBuckets()).isEqualTo(bruteForce(inputs));
        assertThat(plan.movedShare()).isGreaterThanOrEqualTo(plan.lowerBound());
        assertThat(after).allMatch(shares::containsKey);
    }

    @Property(tries = 200)
    void aPlanThatWasCarriedOutNeedsNoOther(@ForAll("cases") PlanInputs inputs) {
        List<String> after = applied(inputs, Rebalancer.plan(inputs, -1));

        PlanInputs next = new PlanInputs("orders", inputs.shards(), RunLengthMap.of(after), inputs.pins());

        assertThat(Rebalancer.plan(next, -1).moves()).isEmpty();
    }

    @Property(tries = 200)
    void eachBucketMovesOnceFromWhereItIs(@ForAll("cases") PlanInputs inputs) {
        RebalancePlan plan = Rebalancer.plan(inputs, -1);

        List<Integer> moved = new ArrayList<>();
        plan.moves().forEach(move -> {
            assertThat(move.from()).isNotEqualTo(move.to());
            moved.addAll(move.buckets());
            assertThat(move.buckets())
                    .allMatch(bucket -> inputs.owners().get(bucket).equals(move.from()));
        });
        assertThat(moved).doesNotHaveDuplicates();
        assertThat(Rebalancer.plan(inputs, -1)).isEqualTo(plan);
    }

    @Provide
    Arbitrary<PlanInputs> cases() {
        Arbitrary<List<Integer>> weights = Arbitraries.integers()
                .between(0, 4)
                .list()
                .ofMinSize(1)
                .ofMaxSize(4)
                .filter(list -> list.get(0) > 0);
        return weights.flatMap(list -> Arbitraries.integers()
                .between(0, list.size() - 1)
                .list()
                .ofMinSize(1)
                .ofMaxSize(7)
                .map(owners -> {
                    SortedMap<String, PlanInputs.Shard> shards = new TreeMap<>();
                    for (int i = 0; i < list.size(); i++) {
                        shards.put("ds-" + i, PlanInputs.Shard.general(list.get(i)));
                    }
                    return new PlanInputs(
                            "orders",
                            shards,
                            RunLengthMap.of(owners.stream().map(i -> "ds-" + i).toList()),
                            new TreeMap<>());
                }));
    }

    /** Tries every placement; of the most proportional ones the one that moves the fewest buckets. */
    private static int bruteForce(PlanInputs inputs) {
        Map<String, Quotas.Share> shares = Quotas.shares(inputs);
        List<String> takers = List.copyOf(shares.keySet());
        int buckets = inputs.owners().buckets();
        double least = leastDistance(shares, buckets);
        int fewest = buckets + 1;
        for (List<String> placement : placements(takers, buckets)) {
            if (distance(shares, count(placement)) == least) {
                int moved = 0;
                for (int bucket = 0; bucket < buckets; bucket++) {
                    moved += placement.get(bucket).equals(inputs.owners().get(bucket)) ? 0 : 1;
                }
                fewest = Math.min(fewest, moved);
            }
        }
        return fewest;
    }

    private static double leastDistance(Map<String, Quotas.Share> shares, int buckets) {
        double least = Double.MAX_VALUE;
        for (List<String> placement : placements(List.copyOf(shares.keySet()), buckets)) {
            least = Math.min(least, distance(shares, count(placement)));
        }
        return least;
    }

    /** Largest remainders minimise the sum of squared distances from the ideal shares; rounded, so that ties are ties. */
    private static double distance(Map<String, Quotas.Share> shares, Map<String, Integer> counts) {
        double sum = 0;
        for (Map.Entry<String, Quotas.Share> share : shares.entrySet()) {
            double off =
                    counts.getOrDefault(share.getKey(), 0) - share.getValue().ideal();
            sum += off * off;
        }
        return Math.round(sum * 1e6) / 1e6;
    }

    private static List<List<String>> placements(List<String> takers, int buckets) {
        List<List<String>> all = new ArrayList<>(List.of(List.of()));
        for (int bucket = 0; bucket < buckets; bucket++) {
            List<List<String>> longer = new ArrayList<>();
            for (List<String> placement : all) {
                for (String taker : takers) {
                    List<String> next = new ArrayList<>(placement);
                    next.add(taker);
                    longer.add(next);
                }
            }
            all = longer;
        }
        return all;
    }

    private static Map<String, Integer> count(List<String> owners) {
        Map<String, Integer> counts = new TreeMap<>();
        owners.forEach(owner -> counts.merge(owner, 1, Integer::sum));
        return counts;
    }

    private static List<String> applied(PlanInputs inputs, RebalancePlan plan) {
        List<String> owners = new ArrayList<>(inputs.owners().values());
        plan.moves().forEach(move -> move.buckets().forEach(bucket -> owners.set(bucket, move.to())));
        return owners;
    }

    private static SortedMap<String, PlanInputs.Shard> general(int count) {
        SortedMap<String, PlanInputs.Shard> shards = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            shards.put("ds-" + i, PlanInputs.Shard.general(100));
        }
        return shards;
    }

    private static PlanInputs inputs(String owners, SortedMap<String, PlanInputs.Shard> shards) {
        int buckets = 0;
        for (String run : owners.split(",")) {
            buckets += Integer.parseInt(run.substring(run.indexOf('*') + 1));
        }
        return new PlanInputs("orders", shards, RunLengthMap.parse(owners, buckets, name -> name), new TreeMap<>());
    }
}
