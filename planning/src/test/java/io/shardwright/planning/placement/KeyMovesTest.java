package io.shardwright.planning.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardRole;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Eight buckets, four on each of two General shards; a key lies in the bucket of its number. */
class KeyMovesTest {
    private static final RunLengthMap<String> OWNERS = RunLengthMap.parse("ds-0*4,ds-1*4", 8, name -> name);
    private static final RunLengthMap<String> LOPSIDED = RunLengthMap.parse("ds-0*7,ds-1*1", 8, name -> name);

    @Test
    void aNewPinBringsTheKeyFromTheShardThatOwnsItsBucket() {
        RebalancePlan plan = plan(OWNERS, Map.of(2, "ds-hot", 5, "ds-hot"), Map.of());

        assertThat(plan.moves()).containsExactly(batch("ds-0", "ds-hot", 2), batch("ds-1", "ds-hot", 5));
        assertThat(plan.moved()).isEqualTo("2 keys");
        assertThat(plan.movedBuckets()).isZero();
        assertThat(plan.movedShare()).isZero();
        assertThat(plan.reasons())
                .containsExactly("1 key on ds-0, pinned to ds-hot: 2", "1 key on ds-1, pinned to ds-hot: 5");
    }

    @Test
    void aPinThatIsGoneTakesTheKeyBackToTheOwnerOfItsBucket() {
        RebalancePlan plan = plan(OWNERS, Map.of(), Map.of(5, "ds-hot"));

        assertThat(plan.moves()).containsExactly(batch("ds-hot", "ds-1", 5));
        assertThat(plan.reasons())
                .containsExactly("1 key on ds-hot, pinned no more, going back to ds-1 with the bucket: 5");
    }

    /** Whether a person or detection wants it makes no difference to the plan, only to what is said of it. */
    @Test
    void whatDetectionWantsIsPlannedAsAPinIsAndToldAsWhatItIs() {
        PlanInputs pins =
                inputs(OWNERS, scopes(Map.of(2, "ds-hot", 3, "ds-hot")), scopes(Map.of(5, "ds-hot", 6, "ds-hot")));
        PlanInputs found = new PlanInputs(
                "orders", pins.shards(), OWNERS, pins.pins(), pins.pinned(), new TreeSet<>(List.of(key(2), key(5))));

        assertThat(PlanHash.of(found)).isEqualTo(PlanHash.of(pins));
        assertThat(Rebalancer.plan(found, 0.1).moves())
                .isEqualTo(Rebalancer.plan(pins, 0.1).moves());
        assertThat(Rebalancer.plan(found, 0.1).reasons())
                .containsExactly(
                        "1 key on ds-0, hot, to be pinned to ds-hot: 2",
                        "1 key on ds-0, pinned to ds-hot: 3",
                        "1 key on ds-hot, hot no more, going back to ds-1 with the bucket: 5",
                        "1 key on ds-hot, pinned no more, going back to ds-1 with the bucket: 6");
        assertThat(found.withOwners(scopes(Map.of(2, "ds-hot"))).detected()).isEqualTo(found.detected());
        assertThat(found.hidden().detected().first().toString()).startsWith("sha256:");
    }

    @Test
    void aChangedPinMovesTheKeyBetweenDedicatedShards() {
        assertThat(plan(OWNERS, Map.of(5, "ds-hot-2"), Map.of(5, "ds-hot")).moves())
                .containsExactly(batch("ds-hot", "ds-hot-2", 5));
    }

    @Test
    void aKeyThatIsWhereItIsWantedStays() {
        assertThat(plan(OWNERS, Map.of(5, "ds-hot"), Map.of(5, "ds-hot")).empty())
                .isTrue();
        assertThat(plan(OWNERS, Map.of(5, "ds-1"), Map.of()).empty()).isTrue();
    }

    @Test
    void bucketsArePlannedOnceEveryKeyIsWhereItsPinWantsIt() {
        RebalancePlan keys = plan(LOPSIDED, Map.of(2, "ds-hot"), Map.of());
        RebalancePlan buckets = plan(LOPSIDED, Map.of(2, "ds-hot"), Map.of(2, "ds-hot"));

        assertThat(keys.ofKeys()).isTrue();
        assertThat(keys.reasons()).last().asString().startsWith("buckets have to move, too");
        assertThat(keys.imbalanceAfter()).isEqualTo(keys.imbalanceBefore()).isGreaterThan(1.5);
        assertThat(buckets.ofKeys()).isFalse();
        assertThat(buckets.movedBuckets()).isEqualTo(3);
        assertThat(buckets.moves()).allSatisfy(move -> assertThat(move.to()).isEqualTo("ds-1"));
    }

    @Test
    void aPlanNamesAFewKeysAndCarriesAtMostFiveHundred() {
        SortedMap<Scope, String> many = new TreeMap<>();
        for (int i = 0; i < 600; i++) {
            many.put(Scope.key("k" + i, 0), "ds-hot");
        }
        PlanInputs first = inputs(OWNERS, many, new TreeMap<>());

        RebalancePlan plan = Rebalancer.plan(first, 0.1);
        RebalancePlan next = Rebalancer.plan(done(first, plan), 0.1);

        assertThat(plan.moved()).isEqualTo("500 keys");
        assertThat(plan.reasons())
                .containsExactly("500 keys on ds-0, pinned to ds-hot: k0, k1, k10, k100 and 496 more");
        assertThat(next.moved()).isEqualTo("100 keys");
    }

    @Test
    void aHiddenKeyIsNamedByItsHashOnly() {
        PlanInputs hidden =
                inputs(OWNERS, new TreeMap<>(Map.of(Scope.key("kim", 0).hidden(), "ds-hot")), new TreeMap<>());

        assertThat(Rebalancer.plan(hidden, 0.1).reasons())
                .singleElement()
                .asString()
                .contains("sha256:")
                .doesNotContain("kim");
    }

    /** Any pins and any places: each key moves once, from where it is to where it is wanted, and a plan that was carried out leaves none. */
    @Property(tries = 200)
    void carriedOutItLeavesEveryKeyWhereItIsWanted(@ForAll long seed) {
        Random random = new Random(seed);
        Map<Integer, String> pins = some(random);
        PlanInputs inputs = inputs(OWNERS, scopes(pins), scopes(some(random)));

        RebalancePlan plan = Rebalancer.plan(inputs, 1);
        PlanInputs after = plan.ofKeys() ? done(inputs, plan) : inputs;

        for (int key = 0; key < 8; key++) {
            String wanted = pins.getOrDefault(key, OWNERS.get(key));
            assertThat(after.owner(key(key))).contains(wanted);
        }
        assertThat(Rebalancer.plan(after, 1).ofKeys()).isFalse();
        assertThat(after.pinned().keySet()).isEqualTo(after.pins().keySet());
    }

    private static Map<Integer, String> some(Random random) {
        Map<Integer, String> some = new HashMap<>();
        for (int key = 0; key < 8; key++) {
            if (random.nextBoolean()) {
                some.put(key, random.nextBoolean() ? "ds-hot" : "ds-hot-2");
            }
        }
        return some;
    }

    private static PlanInputs done(PlanInputs inputs, RebalancePlan plan) {
        SortedMap<Scope, String> arrived = new TreeMap<>();
        for (Batch move : plan.moves()) {
            for (Scope scope : move.scopes()) {
                assertThat(inputs.owner(scope)).contains(move.from());
                assertThat(arrived.put(scope, move.to())).isNull();
            }
        }
        return inputs.withOwners(arrived);
    }

    private static RebalancePlan plan(
            RunLengthMap<String> owners, Map<Integer, String> pins, Map<Integer, String> pinned) {
        return Rebalancer.plan(inputs(owners, scopes(pins), scopes(pinned)), 0.1);
    }

    private static PlanInputs inputs(
            RunLengthMap<String> owners, SortedMap<Scope, String> pins, SortedMap<Scope, String> pinned) {
        SortedMap<String, PlanInputs.Shard> shards = new TreeMap<>();
        List.of("ds-0", "ds-1").forEach(name -> shards.put(name, PlanInputs.Shard.general(100)));
        List.of("ds-hot", "ds-hot-2").forEach(name -> shards.put(name, new PlanInputs.Shard(ShardRole.DEDICATED, 100)));
        return new PlanInputs("orders", shards, owners, pins, pinned);
    }

    private static SortedMap<Scope, String> scopes(Map<Integer, String> pins) {
        SortedMap<Scope, String> scopes = new TreeMap<>();
        pins.forEach((key, shard) -> scopes.put(key(key), shard));
        return scopes;
    }

    private static Scope key(int key) {
        return Scope.key(Integer.toString(key), key);
    }

    private static Batch batch(String from, String to, int key) {
        return new Batch(from, to, new TreeSet<>(List.of(key(key))));
    }
}
