package io.shardwright.plugin.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.plugin.Golden;
import io.shardwright.plugin.Refusal;
import io.shardwright.plugin.Shop;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanReadingTest {
    private static final Map<String, Integer> FOUR =
            new TreeMap<>(Map.of("ds-0", 100, "ds-1", 100, "ds-2", 100, "ds-3", 100));
    private static final Map<String, Integer> FIVE = with(FOUR, "ds-4", 100);
    private static final RoutingTable QUARTERS = Shop.table("ds-0*25,ds-1*25,ds-2*25,ds-3*25", 100);

    @Test
    void aFifthShardGetsFiveBucketsOfEachOther() {
        PlanView view = PlanReading.view(stored(FIVE, Shop.policy("Propose", "")), Manifest.NONE);

        assertThat(view.movedBuckets()).isEqualTo(20);
        assertThat(view.notes()).isEmpty();
        Golden.check("plan-five-shards", view.text());
    }

    @Test
    void aFileIsPlannedAsIfItHadBeenApplied() {
        Manifest file = Manifest.parse(Shop.clusterText(100, FIVE));

        PlanView before = PlanReading.view(stored(FOUR, Shop.policy("Propose", "")), file);
        PlanView after = PlanReading.view(stored(FIVE, Shop.policy("Propose", "")), Manifest.NONE);

        assertThat(before.hash()).isEqualTo(after.hash());
        assertThat(before.plan()).isEqualTo(after.plan());
        assertThat(before.nextAction())
                .startsWith("when the file is applied, approve it: kubectl -n shop patch shardpolicy orders")
                .contains(before.hash());
    }

    @Test
    void aChangedToleranceOfAFileCounts() {
        RoutingTable uneven = Shop.table("ds-0*26,ds-1*24,ds-2*25,ds-3*25", 100);
        Manifest strict = Manifest.parse(Shop.policyText("Propose", "").replace("mode:", "tolerance: 1%, mode:"));

        assertThat(PlanReading.view(stored(FOUR, uneven, Shop.policy("Propose", "")), Manifest.NONE)
                        .inBalance())
                .isTrue();
        assertThat(PlanReading.view(stored(FOUR, uneven, Shop.policy("Propose", "")), strict)
                        .movedBuckets())
                .isEqualTo(1);
    }

    @Test
    void nothingToMoveIsSaidWithItsReason() {
        Golden.check(
                "plan-in-balance",
                PlanReading.view(stored(FOUR, Shop.policy("Propose", "")), Manifest.NONE)
                        .text());
    }

    @Test
    void aPlanThatIsApprovedNeedsNothingMore() {
        String hash = PlanReading.view(stored(FIVE, Shop.policy("Propose", "")), Manifest.NONE)
                .hash();

        PlanView view = PlanReading.view(stored(FIVE, Shop.policy("Propose", hash)), Manifest.NONE);

        assertThat(view.approved()).isTrue();
        assertThat(view.nextAction()).isNull();
    }

    @Test
    void movesOfTheApprovedPlanThatAreUnderWayAreTold() {
        BucketMove copying = Shop.move("Run", "{phase: Copying}");
        BucketMove ended = Shop.move("Run", "{phase: Succeeded}");
        String approved = copying.getMetadata().getLabels().get("shardwright.io/plan") + "ffff";

        PlanView view = PlanReading.view(
                new Stored(
                        "shop",
                        "orders",
                        Optional.of(Shop.cluster(100, FIVE)),
                        List.of(Shop.policy("Propose", approved)),
                        Optional.of(QUARTERS),
                        List.of(copying, ended)),
                Manifest.NONE);

        assertThat(view.notes()).singleElement().asString().contains(approved, "1 move has not ended");
    }

    @Test
    void aStatusThatStillShowsAnotherPlanIsTold() {
        ShardPolicy policy = Shop.policy("Propose", "");
        policy.setStatus(new ShardPolicyStatus(
                1L,
                new ShardPolicyStatus.Plan("0ld", null, List.of(), null, null, null, null, List.of()),
                null,
                null,
                null,
                List.of()));

        assertThat(PlanReading.view(stored(FIVE, policy), Manifest.NONE).notes())
                .containsExactly("the status of the ShardPolicy still shows plan 0ld");
    }

    @ParameterizedTest
    @CsvSource({"Manual, the operator makes no plan", "Automatic, needs no approval"})
    void aModeThatAsksNobodyIsTold(String mode, String words) {
        PlanView view = PlanReading.view(stored(FIVE, Shop.policy(mode, "")), Manifest.NONE);

        assertThat(view.notes()).singleElement().asString().contains(words);
        assertThat(view.nextAction()).isNull();
    }

    private static final String HOT = "hotKeys: {detection: {mode: %s, targets: [%s]}, hashKeys: %s}, rebalancing:";

    /** @param key 42, or its SHA-256 */
    private static ShardPolicy detecting(String rebalancing, String mode, String targets, String key) {
        String hidden = Boolean.toString(!key.equals("42"));
        return Serialization.unmarshal(
                Shop.policyText(rebalancing, "").replace("rebalancing:", HOT.formatted(mode, targets, hidden))
                        + "status: {hotKeys: [{key: '" + key
                        + "', shard: ds-1, target: ds-hot, state: Proposed, detected: true,"
                        + " since: '2026-03-01T08:00:00Z', reason: AboveThreshold}]}\n",
                ShardPolicy.class);
    }

    @Test
    void detectedKeysOfTheStatusAreInThePlanAndGoByTheModeOfDetection() {
        Map<String, Integer> shards = with(FOUR, "ds-hot", 100);
        PlanView proposed =
                PlanReading.view(stored(shards, detecting("Manual", "Propose", "ds-hot", "42")), Manifest.NONE);
        PlanView automatic =
                PlanReading.view(stored(shards, detecting("Propose", "Automatic", "ds-hot", "42")), Manifest.NONE);

        assertThat(proposed.plan().moves())
                .singleElement()
                .satisfies(move -> assertThat(move.keys()).containsExactly("42"));
        assertThat(proposed.reasons()).first().asString().contains("hot, to be pinned to ds-hot");
        assertThat(proposed.notes()).isEmpty();
        assertThat(proposed.nextAction()).contains(proposed.hash());
        assertThat(automatic.hash()).isEqualTo(proposed.hash());
        assertThat(automatic.notes())
                .containsExactly("hotKeys.detection.mode is Automatic: the plan needs no approval");
        assertThat(automatic.nextAction()).isNull();
    }

    @Test
    void aFileOfThePolicyKeepsWhatItsStatusRemembers() {
        Map<String, Integer> shards = with(FOUR, "ds-hot", 100);
        Stored stored = stored(shards, detecting("Propose", "Propose", "ds-hot", "42"));
        String file = Shop.policyText("Propose", "");

        assertThat(PlanReading.view(
                                stored,
                                Manifest.parse(
                                        file.replace("rebalancing:", HOT.formatted("Automatic", "ds-hot", "false"))))
                        .hash())
                .isEqualTo(PlanReading.view(stored, Manifest.NONE).hash());
        assertThat(PlanReading.view(stored, Manifest.parse(file)).inBalance()).isTrue();
    }

    @Test
    void aHiddenProposalIsNotInThePlanAndThatIsTold() {
        PlanView view = PlanReading.view(
                stored(
                        with(FOUR, "ds-hot", 100),
                        detecting("Propose", "Propose", "ds-hot", "sha256:" + "0".repeat(64))),
                Manifest.NONE);

        assertThat(view.notes()).singleElement().asString().contains("shown as hashes only (hashKeys)");
        assertThat(view.nextAction()).isNull();
    }

    @Test
    void aTargetThatIsNoneIsTold() {
        assertThat(PlanReading.view(
                                stored(with(FOUR, "ds-hot", 100), detecting("Propose", "Propose", "ds-0", "42")),
                                Manifest.NONE)
                        .notes())
                .singleElement()
                .asString()
                .startsWith("no key is proposed: spec.hotKeys.detection.targets[0]: ds-0 is a General shard");
    }

    @Test
    void withoutAPolicyTheDefaultsAreTakenAndThatIsTold() {
        PlanView view = PlanReading.view(stored(FIVE), Manifest.NONE);

        assertThat(view.movedBuckets()).isEqualTo(20);
        assertThat(view.notes()).singleElement().asString().contains("there is no ShardPolicy for this cluster");
    }

    @Test
    void aNewPolicyBesideAnOlderOneChangesNothing() {
        Manifest other = Manifest.parse(
                Shop.policyText("Propose", "").replace("name: orders, namespace", "name: another, namespace"));

        assertThat(PlanReading.view(stored(FIVE, Shop.policy("Propose", "")), other)
                        .notes())
                .containsExactly("ShardPolicy another of the file changes nothing: orders is older and in force");
    }

    @Test
    void aClusterThatIsNotFencedYetGetsNoPlanOfTheOperator() {
        ShardCluster cluster = Serialization.unmarshal(
                Serialization.asYaml(Shop.cluster(100, FIVE)).replace("Installed\"", "Installing\""),
                ShardCluster.class);
        cluster.setStatus(null);

        assertThat(PlanReading.view(stored(cluster, QUARTERS, Shop.policy("Propose", "")), Manifest.NONE)
                        .notes())
                .containsExactly("the operator has not looked at the newest spec of the ShardCluster yet");
    }

    @ParameterizedTest(name = "{1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "buckets: 100   | buckets: 200   | spec.sharding.buckets is immutable",
                "hash: MD5      | hash: Modulo   | spec.sharding.hash is immutable",
                "keyType: Int64 | keyType: UUID  | spec.sharding.keyType is immutable",
                "database: shop | database: shop2 | spec.database is immutable",
                "name: ds-3     | name: ds-9     | a shard that owns buckets cannot leave the list (ds-3)",
                "name: ds-3     | name: ds-2     | ds-2 is there twice",
                "name: ds-3     | name: DS_3     | is no name of a shard",
                "weight: 100    | weight: 1001   | the weight of ds-0 is 1001",
            })
    void whatTheApiServerWouldRefuseGetsNoPlan(String written, String instead, String words) {
        refused(text -> text.replaceFirst(written, instead), words);
    }

    @Test
    void somebodyMustOwnTheBuckets() {
        refused(text -> text.replace("weight: 100", "weight: 0"), "at least one General shard needs a weight above 0");
    }

    @Test
    void aClusterThatIsNotStoredHasNoPlan() {
        Stored nothing = new Stored("shop", "orders", Optional.empty(), List.of(), Optional.empty(), List.of());

        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> PlanReading.view(nothing, Manifest.parse(Shop.clusterText(100, FOUR))))
                .withMessageContaining("nothing moves when a new one is applied");
    }

    @Test
    void withoutATableNobodyKnowsTheOwners() {
        Stored adopting = new Stored(
                "shop", "orders", Optional.of(Shop.cluster(100, FOUR)), List.of(), Optional.empty(), List.of());

        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> PlanReading.view(adopting, Manifest.NONE))
                .withMessageContaining("has no routing table yet");
    }

    private static void refused(UnaryOperator<String> edit, String words) {
        Manifest file = Manifest.parse(edit.apply(Shop.clusterText(100, FOUR)));
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> PlanReading.view(stored(FOUR, Shop.policy("Propose", "")), file))
                .withMessageContaining("ShardCluster orders would be refused: ")
                .withMessageContaining(words)
                .satisfies(refusal -> assertThat(refusal.nextAction()).isNotBlank());
    }

    private static Map<String, Integer> with(Map<String, Integer> shards, String name, int weight) {
        Map<String, Integer> more = new TreeMap<>(shards);
        more.put(name, weight);
        return more;
    }

    private static Stored stored(Map<String, Integer> shards, ShardPolicy... policies) {
        return stored(shards, QUARTERS, policies);
    }

    private static Stored stored(Map<String, Integer> shards, RoutingTable table, ShardPolicy... policies) {
        return stored(Shop.cluster(100, shards), table, policies);
    }

    private static Stored stored(ShardCluster cluster, RoutingTable table, ShardPolicy... policies) {
        return new Stored("shop", "orders", Optional.of(cluster), List.of(policies), Optional.of(table), List.of());
    }
}
