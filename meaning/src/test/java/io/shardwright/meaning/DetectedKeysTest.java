package io.shardwright.meaning;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.Rebalancing.Mode;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.planning.hotkeys.HotKey;
import io.shardwright.planning.hotkeys.HotKeyReason;
import io.shardwright.planning.hotkeys.HotKeyState;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.planning.placement.RebalancePlan;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Eight buckets by remainder, four on each of two General shards; ds-hot and ds-warm are Dedicated, ds-cold is drained. */
class DetectedKeysTest {
    private static final String HASH = "sha256:73475cb40a568e8da8a045ced110137e159f890ac4da883b6b17dc651b3a8049";
    private static final String ON = "detection: {targets: [ds-hot]}";
    private static final String SINCE = "since: '2026-03-01T08:00:00Z', detected: true";
    private static final String PROPOSED =
            "{key: '42', shard: ds-0, " + SINCE + ", state: Proposed, target: ds-hot, reason: AboveThreshold}";
    private static final String GOING_HOME =
            "{key: '42', shard: ds-hot, " + SINCE + ", state: CoolingDown, target: ds-hot, reason: GoingHome}";
    private static final String SERVED =
            "{key: '42', shard: ds-hot, " + SINCE + ", state: Pinned, target: ds-hot, reason: Served}";

    @Test
    void anEntryOfAStatusComesBackAsItWas() {
        String entry =
                "{key: '42', shard: ds-hot, since: '2026-03-01T08:00:00Z', state: CoolingDown, detected: true, reason:"
                        + " BelowHalf, target: ds-hot, formerShard: ds-0, share: 7%, neighbourP95Before: 4.5ms, neighbourP95After: 1200.0ms}";
        ShardPolicy policy = policy(ON, entry);

        HotKey read = detected(policy, table()).known().getFirst();

        assertThat(read.state()).isEqualTo(HotKeyState.COOLING_DOWN);
        assertThat(read.reason()).isEqualTo(HotKeyReason.BELOW_HALF);
        assertThat(read.before()).contains(Duration.ofNanos(4_500_000));
        assertThat(DetectedKeys.text(read))
                .isEqualTo(policy.getStatus().hotKeys().getFirst());
    }

    @Test
    void pinsOfTheSpecInAStatusAreNotDetected() {
        ShardPolicy policy = policy(ON, "{key: '42', shard: ds-hot, since: '2026-03-01T08:00:00Z', state: Pinned}");

        assertThat(detected(policy, table()).known()).isEmpty();
    }

    @Test
    void anEntryOfAnotherReleaseIsTakenByItsState() {
        ShardPolicy policy = policy(
                ON,
                "{key: '1', shard: ds-hot, " + SINCE + ", state: Pinned, reason: Later}",
                "{key: '2', shard: ds-0, " + SINCE + ", state: Candidate}",
                "{key: '3', shard: ds-0, " + SINCE + ", state: Proposed, target: ds-hot}",
                "{key: '4', shard: ds-hot, " + SINCE + ", state: CoolingDown}");

        assertThat(detected(policy, table()).known())
                .extracting(HotKey::reason)
                .containsExactly(
                        HotKeyReason.SERVED,
                        HotKeyReason.WINDOW_NOT_COVERED,
                        HotKeyReason.ABOVE_THRESHOLD,
                        HotKeyReason.BELOW_HALF);
        assertThat(detected(policy, table()).known().getFirst().target()).contains("ds-hot");
        assertThat(detected(policy, table()).byState())
                .isEqualTo(Map.of(
                        HotKeyState.PINNED, 1L,
                        HotKeyState.CANDIDATE, 1L,
                        HotKeyState.PROPOSED, 1L,
                        HotKeyState.COOLING_DOWN, 1L));
    }

    @Test
    void aHashIsReadWhereAPinATableOrAMoveHasTheKey() {
        String hidden = PROPOSED.replace("'42'", "'" + HASH + "'");
        ShardPolicy policy = policy("hashKeys: true, " + ON, hidden);
        BucketMove move = Serialization.unmarshal(
                "metadata: {name: a}\nspec: {clusterRef: {name: orders}, from: ds-0, to: ds-hot, keys: ['42']}",
                BucketMove.class);

        DetectedKeys nobody = detected(policy, table());
        assertThat(nobody.known()).isEmpty();
        assertThat(nobody.unread()).isEqualTo(policy.getStatus().hotKeys());
        assertThat(nobody.hidesProposals()).isTrue();
        assertThat(nobody.byState()).isEqualTo(Map.of(HotKeyState.PROPOSED, 1L));
        assertThat(detected(policy, table("42", "ds-hot")).known()).hasSize(1);
        assertThat(detected(policy("hashKeys: true, pins: [{key: '042', shard: ds-hot}], " + ON, hidden), table())
                        .known())
                .hasSize(1);
        KeyNames names = KeyNames.of(cluster().getSpec(), table(), Optional.of(policy), List.of(move));
        HotKey read = DetectedKeys.of(Optional.of(policy), names).known().getFirst();
        assertThat(read.key()).isEqualTo(Scope.key("42", 2)).hasToString(HASH);
        assertThat(DetectedKeys.of(
                                Optional.of(policy),
                                KeyNames.of(cluster().getSpec(), table(), Optional.of(policy), List.of())
                                        .and(List.of("7", "42")))
                        .unread())
                .isEmpty();
    }

    @Test
    void aCandidateThatNobodyCanReadHidesNoProposal() {
        ShardPolicy policy = policy(
                "hashKeys: true, " + ON,
                PROPOSED.replace("'42'", "'" + HASH + "'").replace("Proposed", "Candidate"));

        assertThat(detected(policy, table()).hidesProposals()).isFalse();
    }

    @Test
    void aTextThatIsNoKeyOfTheClusterIsNone() {
        KeyNames names = KeyNames.of(cluster().getSpec(), table(), Optional.empty(), List.of());

        assertThat(names.written("042")).isEmpty();
        assertThat(names.written("kim")).isEmpty();
        assertThat(names.written("42")).contains(Scope.key("42", 2));
        assertThat(names.shown("42")).contains(Scope.key("42", 2));
    }

    @Test
    void whatDetectionWantsIsPinnedInThePlanUnlessASpecPinSaysOtherwise() {
        assertThat(inputs(policy(ON, PROPOSED), table()).pins()).isEqualTo(Map.of(Scope.key("42", 2), "ds-hot"));
        assertThat(inputs(policy(ON, PROPOSED), table()).detected()).containsExactly(Scope.key("42", 2));
        PlanInputs taken = inputs(policy("pins: [{key: '42', shard: ds-warm}], " + ON, PROPOSED), table());
        assertThat(taken.pins()).isEqualTo(Map.of(Scope.key("42", 2), "ds-warm"));
        assertThat(taken.detected()).isEmpty();
        assertThat(inputs(policy(ON, PROPOSED.replace("Proposed", "Candidate")), table())
                        .pins())
                .isEmpty();
    }

    /** The operator chooses another target in its next pass; a plugin that is asked before that does not guess. */
    @Test
    void aTargetThatTakesNoKeysIsNoneOfThePlan() {
        assertThat(inputs(policy(ON, PROPOSED.replace("ds-hot", "ds-cold")), table())
                        .pins())
                .isEmpty();
        assertThat(inputs(policy(ON, PROPOSED.replace("ds-hot", "ds-9")), table())
                        .pins())
                .isEmpty();
    }

    @Test
    void aKeyThatTheTableHasNoMoreIsWantedNoMore() {
        assertThat(inputs(policy(ON, SERVED), table()).pins()).isEmpty();
    }

    @Test
    void aKeyThatGoesHomeIsWantedNoMore() {
        PlanInputs home = inputs(policy(ON, GOING_HOME), table("42", "ds-hot"));

        assertThat(home.pins()).isEmpty();
        assertThat(home.pinned()).hasSize(1);
        assertThat(home.detected()).containsExactly(Scope.key("42", 2));
    }

    @Test
    void offPlansDetectedKeysHomeAsRemovedPinsAre() {
        PlanInputs off = inputs(policy("detection: {mode: 'Off', targets: [ds-hot]}", SERVED), table("42", "ds-hot"));

        assertThat(off.pins()).isEmpty();
        assertThat(off.detected()).isEmpty();
        assertThat(inputs(policy("hashKeys: false", SERVED), table("42", "ds-hot"))
                        .pins())
                .isEmpty();
        assertThat(inputs(policy(ON, SERVED), table("42", "ds-hot")).pins()).hasSize(1);
    }

    @Test
    void pinsThatCannotBeObeyedLeaveDetectedKeysWhereTheyAre() {
        PlanInputs kept = inputs(policy("pins: [{key: '7', shard: ds-0}], " + ON, GOING_HOME), table("42", "ds-hot"));

        assertThat(kept.pins()).isEqualTo(kept.pinned());
    }

    /** A proposal is nothing that people have asked for, so that a cluster is ready while it waits. */
    @Test
    void nobodyHasAskedForWhatDetectionProposes() {
        assertThat(asked(policy(ON, PROPOSED), table()).pins()).isEmpty();
        assertThat(asked(policy(ON, GOING_HOME), table("42", "ds-hot")).pins()).hasSize(1);
        assertThat(asked(policy("detection: {mode: 'Off', targets: [ds-hot]}", SERVED), table("42", "ds-hot"))
                        .pins())
                .isEmpty();
        assertThat(asked(policy("pins: [{key: '7', shard: ds-hot}], " + ON, PROPOSED), table())
                        .pins())
                .isEqualTo(Map.of(Scope.key("7", 7), "ds-hot"));
    }

    /** Of a plan of one detected key, of one with a pin of the spec in it, of a plan of buckets, and of none. */
    @ParameterizedTest(name = "rebalancing {0}, detection {1}")
    @CsvSource({
        "Propose,   Automatic, AUTOMATIC, PROPOSE,   PROPOSE,   AUTOMATIC",
        "Automatic, Propose,   PROPOSE,   PROPOSE,   AUTOMATIC, AUTOMATIC",
        "Manual,    Automatic, AUTOMATIC, MANUAL,    MANUAL,    AUTOMATIC",
        "Manual,    Propose,   PROPOSE,   MANUAL,    MANUAL,    PROPOSE",
        "Automatic, Automatic, AUTOMATIC, AUTOMATIC, AUTOMATIC, AUTOMATIC",
        "Manual,    'Off',     MANUAL,    MANUAL,    MANUAL,    MANUAL",
    })
    void aPlanGoesByTheStrictestModeOfThoseWhoWantSomethingInIt(
            String rebalancing, String detection, Mode ofKey, Mode ofBoth, Mode ofBuckets, Mode ofNothing) {
        String detects = "detection: {mode: '" + detection + "', targets: [ds-hot]}";
        String pins = "pins: [{key: '7', shard: ds-hot}], ";
        boolean off = detection.equals("Off");

        assertThat(mode(rebalancing, policy(detects, off ? SERVED : PROPOSED), off ? table("42", "ds-hot") : table()))
                .isEqualTo(ofKey);
        assertThat(mode(rebalancing, policy(pins + detects, PROPOSED), table())).isEqualTo(ofBoth);
        assertThat(mode(rebalancing, policy(detects), table("ds-0*8"))).isEqualTo(ofBuckets);
        assertThat(mode(rebalancing, policy(detects), table())).isEqualTo(ofNothing);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ds-hot, ds-9 | spec.hotKeys.detection.targets[1]: there is no shard ds-9: name one of its Dedicated shards: ds-hot, ds-warm",
                "ds-0 | spec.hotKeys.detection.targets[0]: ds-0 is a General shard, and pins lead to Dedicated ones: name one of its Dedicated shards: ds-hot, ds-warm",
                "ds-hot, ds-cold |"
            })
    void aTargetThatIsNoDedicatedShardIsNamedAndLeavesNone(String targets, String fault) {
        Detection detection = Detection.of(
                policy("detection: {targets: [" + targets + "]}").getSpec().hotKeys(),
                cluster().getSpec());

        assertThat(detection.fault()).isEqualTo(Optional.ofNullable(fault));
        assertThat(detection.settings().targets().isEmpty()).isEqualTo(fault != null);
        assertThat(detection.settings().threshold()).isEqualTo(0.2);
        assertThat(detection.settings().window()).isEqualTo(Duration.ofMinutes(5));
        assertThat(detection.settings().cooldown()).isEqualTo(Duration.ofMinutes(30));
        assertThat(detection.settings().maxPins()).isEqualTo(20);
    }

    @Test
    void withoutDetectionNothingIsDetected() {
        assertThat(Detection.of(
                                policy("hashKeys: false").getSpec().hotKeys(),
                                cluster().getSpec())
                        .settings()
                        .on())
                .isFalse();
        assertThat(Detection.of(
                                policy("detection: {mode: 'Off', targets: [ds-9]}")
                                        .getSpec()
                                        .hotKeys(),
                                cluster().getSpec())
                        .fault())
                .isEmpty();
    }

    private static Mode mode(String rebalancing, ShardPolicy policy, RoutingTable table) {
        ShardPolicy moded = Serialization.unmarshal(
                Serialization.asYaml(policy)
                        .replace("mode: \"Propose\"\n    tolerance", "mode: \"" + rebalancing + "\"\n    tolerance"),
                ShardPolicy.class);
        assertThat(moded.getSpec().rebalancing().mode().wire()).isEqualTo(rebalancing);
        PlanInputs inputs = inputs(moded, table);
        RebalancePlan plan = Plans.wanted(inputs, moded.getSpec().rebalancing());
        return Plans.mode(plan, inputs, moded.getSpec());
    }

    private static DetectedKeys detected(ShardPolicy policy, RoutingTable table) {
        return DetectedKeys.of(
                Optional.of(policy), KeyNames.of(cluster().getSpec(), table, Optional.of(policy), List.of()));
    }

    private static PlanInputs inputs(ShardPolicy policy, RoutingTable table) {
        return Clusters.planInputs(cluster(), table, Optional.of(policy), List.of());
    }

    private static PlanInputs asked(ShardPolicy policy, RoutingTable table) {
        return Clusters.askedFor(cluster(), table, Optional.of(policy));
    }

    private static ShardPolicy policy(String hotKeys, String... status) {
        return Serialization.unmarshal("""
                metadata: {name: orders}
                spec: {clusterRef: {name: orders}, hotKeys: {%s}}
                status: {hotKeys: [%s]}
                """.formatted(hotKeys, String.join(", ", status)), ShardPolicy.class);
    }

    private static ShardCluster cluster() {
        return Serialization.unmarshal("""
                metadata: {name: orders}
                spec:
                  sharding: {buckets: 8, hash: Modulo, keyType: Int64, tables: [{name: orders, shardKey: tenant_id}]}
                  shards:
                  - {name: ds-0}
                  - {name: ds-1}
                  - {name: ds-hot, role: Dedicated}
                  - {name: ds-warm, role: Dedicated}
                  - {name: ds-cold, role: Dedicated, weight: 0}
                """, ShardCluster.class);
    }

    private static RoutingTable table() {
        return table("ds-0*4,ds-1*4");
    }

    private static RoutingTable table(String owners) {
        return ShopTables.table(owners, Map.of());
    }

    private static RoutingTable table(String key, String shard) {
        return ShopTables.table("ds-0*4,ds-1*4", Map.of(key, shard));
    }
}
