package io.shardwright.controllers.shardpolicy;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.controllers.resources.MoveResources;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardpolicy.Rebalancing;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.HotKey;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.PlannedMove;
import io.shardwright.planning.moves.MovePhase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hot keys as a person sees them: found, proposed by hash, moved, and taken home. Key 42 is hot on ds-0. */
class HotKeysOfAPolicyTest {
    private static final String DETECTION = "detection: {targets: [ds-hot]}";
    private static final String AUTOMATIC = "detection: {mode: Automatic, targets: [ds-hot]}";
    private static final String OFF = "detection: {mode: 'Off', targets: [ds-hot]}";
    private static final String HASH = "sha256:73475cb40a568e8da8a045ced110137e159f890ac4da883b6b17dc651b3a8049";
    private static final String SPELT = "\\b0?42\\b";
    private static final PlannedMove AWAY = new PlannedMove("ds-0", "ds-hot", null, List.of("42"));
    private static final PlannedMove BACK = new PlannedMove("ds-hot", "ds-0", null, List.of("42"));
    private static final Instant NEXT_DAY = Sight.EIGHT.plus(Duration.ofDays(1));

    private static Sight sight(String hotKeys) {
        return new Sight().owners("ds-0*3,ds-1*3,ds-2*2").hotKeys("{" + hotKeys + "}");
    }

    /** 30 % of a thousand requests. */
    private static Sight hot(String hotKeys) {
        return sight(hotKeys).asked("ds-0", 1_000, "42", 300);
    }

    private static Sight proposed(String hotKeys) {
        return hot(hotKeys).after(hot(hotKeys).status());
    }

    private static ShardPolicyStatus pinned(String hotKeys) {
        return hot(hotKeys).pinned("42", "ds-hot").after(hot(hotKeys).status()).status();
    }

    @ParameterizedTest(name = "rebalancing {0}")
    @ValueSource(strings = {"Manual", "Propose", "Automatic"})
    void aHotKeyIsAPlanThatWaitsForItsHashWhateverTheModeOfRebalancing(String mode) {
        Sight found = hot(DETECTION).mode(mode);
        ShardPolicyStatus status = found.status();

        assertThat(status.plan().moves()).containsExactly(AWAY);
        assertThat(status.plan().reasons()).startsWith("1 key on ds-0, hot, to be pinned to ds-hot: 42");
        assertThat(reason(status, ConditionType.PLAN_APPROVED)).isEqualTo(Reason.AWAITING_APPROVAL.wire());
        assertThat(hot(DETECTION).mode(mode).after(status).plan().create()).isFalse();
        assertThat(status.hotKeys())
                .containsExactly(new HotKey(
                        "42",
                        "ds-0",
                        Sight.EIGHT.toString(),
                        "Proposed",
                        true,
                        "AboveThreshold",
                        "ds-hot",
                        null,
                        "30%",
                        "4.4ms",
                        null));
    }

    @Test
    void theApprovedPlanIsMadeAsAMoveOfTheKey() {
        Plan plan = hot(DETECTION).status().plan();
        Sight approved = proposed(DETECTION).approved(plan.hash());

        assertThat(approved.plan().create()).isTrue();
        assertThat(made(approved)).singleElement().satisfies(move -> {
            assertThat(move.getSpec().keys()).containsExactly("42");
            assertThat(move.getSpec().to()).isEqualTo("ds-hot");
        });
    }

    @ParameterizedTest(name = "rebalancing {0}")
    @ValueSource(strings = {"Manual", "Propose", "Automatic"})
    void modeAutomaticAsksNobody(String mode) {
        assertThat(hot(AUTOMATIC)
                        .mode(mode)
                        .after(hot(AUTOMATIC).mode(mode).status())
                        .plan()
                        .create())
                .isTrue();
    }

    /** The plan is the same, so it is stored; but a key whose entry is not stored too would be planned home after a crash. */
    @Test
    void aKeyThatDetectionTakesOverFromThePinsIsRememberedBeforeItMoves() {
        ShardPolicyStatus ofThePin =
                hot("pins: [{key: '42', shard: ds-hot}], " + AUTOMATIC).status();
        Sight takenOver = hot(AUTOMATIC).after(ofThePin);

        assertThat(takenOver.plan().create()).isFalse();
        assertThat(takenOver.status().plan().hash()).isEqualTo(ofThePin.plan().hash());
        assertThat(hot(AUTOMATIC).after(takenOver.status()).plan().create()).isTrue();
    }

    @Test
    void aPinOfTheSpecInThePlanIsWaitedFor() {
        String both = "pins: [{key: '1', shard: ds-hot}], " + AUTOMATIC;

        assertThat(reason(proposed(both).status(), ConditionType.PLAN_APPROVED))
                .isEqualTo(Reason.AWAITING_APPROVAL.wire());
        assertThat(proposed(both).mode("Automatic").plan().create()).isTrue();
    }

    @Test
    void aStatusIsWrittenOnce() {
        for (Sight first :
                List.of(hot(DETECTION), hot(DETECTION).pinned("42", "ds-hot"), hot("hashKeys: true, " + DETECTION))) {
            ShardPolicyStatus status = first.status();

            assertThat(first.after(status).at(Sight.EIGHT.plusSeconds(10)).status())
                    .isEqualTo(status);
        }
    }

    @Test
    void whatIsPinnedIsRememberedWithItsPast() {
        assertThat(pinned(DETECTION).hotKeys()).singleElement().satisfies(key -> {
            assertThat(key.state()).isEqualTo("Pinned");
            assertThat(key.shard()).isEqualTo("ds-hot");
            assertThat(key.formerShard()).isEqualTo("ds-0");
            assertThat(key.isDetected()).isTrue();
        });
        assertThat(pinned(DETECTION).plan()).isNull();
    }

    /** Nobody has reported anything to a new leader. */
    @Test
    void aNewLeaderLeavesStatesAsTheyAre() {
        ShardPolicyStatus proposal = hot(DETECTION).status();

        assertThat(sight(DETECTION).after(proposal).status()).isEqualTo(proposal);
        assertThat(sight(DETECTION)
                        .pinned("42", "ds-hot")
                        .after(pinned(DETECTION))
                        .at(NEXT_DAY)
                        .status()
                        .hotKeys())
                .isEqualTo(pinned(DETECTION).hotKeys());
    }

    @Test
    void aKeyThatHasBecomeColdIsPlannedHomeAndIsRememberedThere() {
        ShardPolicyStatus cooling =
                cold(pinned(AUTOMATIC), Sight.EIGHT.plus(Duration.ofMinutes(5))).status();
        assertThat(state(cooling)).isEqualTo("CoolingDown");
        assertThat(cooling.plan()).isNull();

        Instant over = Sight.EIGHT.plus(Duration.ofMinutes(35));
        ShardPolicyStatus home = cold(cooling, over).status();
        assertThat(home.hotKeys().getFirst().reason()).isEqualTo("GoingHome");
        assertThat(home.plan().moves()).containsExactly(BACK);
        assertThat(home.plan().reasons())
                .startsWith("1 key on ds-hot, hot no more, going back to ds-0 with the bucket: 42");
        assertThat(cold(home, over).plan().create()).isTrue();

        ShardPolicyStatus back = sight(AUTOMATIC)
                .asked("ds-0", 1_000, "42", 900)
                .after(home)
                .at(over)
                .status();
        assertThat(state(back)).isEqualTo("Candidate");
        assertThat(back.hotKeys().getFirst().reason()).isEqualTo("Cooldown");
        assertThat(back.plan()).isNull();
    }

    private static Sight cold(ShardPolicyStatus before, Instant time) {
        return sight(AUTOMATIC)
                .pinned("42", "ds-hot")
                .asked("ds-0", 100_000, OTHER, 0)
                .asked("ds-hot", 1_000, "42", 10)
                .after(before)
                .at(time);
    }

    @Test
    void offPlansItHomeByTheModeOfRebalancing() {
        Sight off = sight(OFF).pinned("42", "ds-hot").after(pinned(AUTOMATIC));

        assertThat(off.status().plan().moves()).containsExactly(BACK);
        assertThat(off.status().hotKeys().getFirst().reason()).isEqualTo("DetectionOff");
        assertThat(reason(off.status(), ConditionType.PLAN_APPROVED)).isEqualTo(Reason.AWAITING_APPROVAL.wire());
        assertThat(sight(OFF)
                        .mode("Automatic")
                        .pinned("42", "ds-hot")
                        .after(off.status())
                        .plan()
                        .create())
                .isTrue();
        assertThat(sight(OFF).after(off.status()).status().hotKeys()).isEmpty();
    }

    @Test
    void aPersonWhoPinsTheKeyTakesItOverWithTheSamePlan() {
        String spec = "pins: [{key: '42', shard: ds-hot}], " + DETECTION;

        assertThat(proposed(spec).after(hot(DETECTION).status()).status().plan().hash())
                .isEqualTo(hot(DETECTION).status().plan().hash());
        ShardPolicyStatus taken =
                sight(spec).pinned("42", "ds-hot").after(pinned(DETECTION)).status();
        assertThat(taken.hotKeys()).containsExactly(new HotKey("42", "ds-hot", Sight.EIGHT.toString(), HotKey.PINNED));
        assertThat(taken.plan()).isNull();
    }

    @Test
    void anApprovalIsNotMadeVoidByAKeyThatBecomesHotAfterIt() {
        ShardPolicyStatus first = hot(DETECTION).status();
        Sight second = sight(DETECTION)
                .asked("ds-0", 1_000, "42", 300)
                .asked("ds-0", 1_000, OTHER, 900)
                .approved(first.plan().hash())
                .after(first);

        assertThat(second.plan().create()).isTrue();
        assertThat(second.status().hotKeys())
                .extracting(HotKey::reason)
                .containsExactlyInAnyOrder("AboveThreshold", "PlanUnderWay");
        Sight running = sight(DETECTION)
                .asked("ds-0", 1_000, "42", 300)
                .asked("ds-0", 1_000, OTHER, 900)
                .approved(first.plan().hash())
                .after(second.status())
                .moves(first.plan(), MovePhase.COPYING);
        assertThat(running.status().plan()).isEqualTo(first.plan());
        assertThat(running.status().hotKeys()).extracting(HotKey::reason).contains("PlanUnderWay");
        assertThat(sight(DETECTION)
                        .asked("ds-0", 1_000, OTHER, 900)
                        .pinned("42", "ds-hot")
                        .approved(first.plan().hash())
                        .after(running.status())
                        .moves(first.plan(), MovePhase.REVERSIBLE)
                        .status()
                        .plan()
                        .moves())
                .as("a move that soaks keeps no key back")
                .containsExactly(new PlannedMove("ds-0", "ds-hot", null, List.of(OTHER)));
    }

    @Test
    void aHiddenKeyIsInTheSpecOfItsMoveOnly() {
        String hidden = "hashKeys: true, " + DETECTION;
        ShardPolicyStatus status = hot(hidden).status();
        Sight approved = proposed(hidden).approved(status.plan().hash());

        assertThat(status.toString() + hot(hidden).seen().transitions())
                .contains(HASH)
                .contains("HotKeyProposed")
                .doesNotContainPattern(SPELT);
        assertThat(approved.status().toString()).doesNotContainPattern(SPELT);
        assertThat(made(approved))
                .singleElement()
                .satisfies(move -> assertThat(move.getSpec().keys()).containsExactly("42"));
        assertThat(status.plan().hash())
                .isEqualTo(hot(DETECTION).status().plan().hash());
    }

    /** A new leader reads hashes, and makes no other plan of them until a router asks for the keys again. */
    @Test
    void aHiddenProposalKeepsItsPlanUntilARouterAsksForTheKeyAgain() {
        String hidden = "hashKeys: true, " + DETECTION;
        ShardPolicyStatus status = hot(hidden).status();
        Sight nobodyKnows = sight(hidden).after(status);

        assertThat(nobodyKnows.status().plan()).isEqualTo(status.plan());
        assertThat(nobodyKnows.status().hotKeys()).isEqualTo(status.hotKeys());
        assertThat(reason(nobodyKnows.status(), ConditionType.RESOLVED_REFS))
                .isEqualTo(Reason.CLUSTER_NOT_ACCEPTED.wire());
        assertThat(hot(hidden).after(nobodyKnows.status()).status().plan()).isEqualTo(status.plan());
        assertThat(sight(hidden)
                        .asked("ds-0", 1_000, OTHER, 0)
                        .after(status)
                        .status()
                        .hotKeys())
                .as("over a whole window nobody has asked for it")
                .isEmpty();
    }

    @Test
    void somebodyWhoHidesKeysHidesThoseThatWereShown() {
        assertThat(hot("hashKeys: true, " + DETECTION)
                        .after(hot(DETECTION).status())
                        .status()
                        .hotKeys())
                .singleElement()
                .satisfies(key -> {
                    assertThat(key.key()).isEqualTo(HASH);
                    assertThat(key.state()).isEqualTo("Proposed");
                });
    }

    @Test
    void aTargetThatIsNoneIsAConditionAndNoKeyIsProposed() {
        ShardPolicyStatus status = hot("detection: {targets: [ds-hot, ds-1]}").status();

        assertThat(reason(status, ConditionType.ACCEPTED)).isEqualTo(Reason.DETECTION_UNFIT.wire());
        assertThat(status.nextAction())
                .startsWith("spec.hotKeys.detection.targets[1]: ds-1 is a General shard")
                .contains("Dedicated shards: ds-hot, ds-warm");
        assertThat(status.hotKeys().getFirst().reason()).isEqualTo("NoTarget");
        assertThat(status.plan()).isNull();
    }

    @Test
    void pinsThatCannotBeObeyedKeepDetectionFromProposing() {
        ShardPolicyStatus status =
                hot("pins: [{key: '1', shard: ds-0}], " + DETECTION).status();

        assertThat(reason(status, ConditionType.ACCEPTED)).isEqualTo(Reason.PIN_UNFIT.wire());
        assertThat(status.hotKeys().getFirst().reason()).isEqualTo("PlanUnderWay");
    }

    @Test
    void aClusterThatCannotBeJudgedLeavesAllAsItWas() {
        ShardPolicyStatus proposal = hot(DETECTION).status();
        Sight unguarded = hot(DETECTION).after(proposal);
        unguarded.guarded = false;

        assertThat(unguarded.status().hotKeys()).isEqualTo(proposal.hotKeys());
        assertThat(unguarded.seen().transitions()).isEmpty();
    }

    @Test
    void aPolicyThatIsNotInForceDetectsNothing() {
        Sight younger = hot(DETECTION);
        younger.older = "older";

        assertThat(younger.status().hotKeys()).isEmpty();
        assertThat(younger.seen().detects()).isFalse();
        assertThat(younger.seen().transitions()).isEmpty();
        assertThat(hot(DETECTION).seen().detects()).isTrue();
        assertThat(hot(OFF).seen().detects()).isFalse();
    }

    @Test
    void eachChangeOfStateIsToldOnce() {
        ShardPolicyStatus proposal = hot(AUTOMATIC).status();
        ShardPolicyStatus pinned = pinned(AUTOMATIC);
        Instant five = Sight.EIGHT.plus(Duration.ofMinutes(5));
        ShardPolicyStatus cooling = cold(pinned, five).status();

        assertThat(told(hot(AUTOMATIC)))
                .containsExactly(
                        "HotKeyProposed: key 42 is to go from ds-0 to ds-hot: at least 30% of the requests; It is hot:"
                                + " the plan takes it to its target.");
        assertThat(told(hot(AUTOMATIC).after(proposal))).isEmpty();
        assertThat(told(hot(AUTOMATIC).pinned("42", "ds-hot").after(proposal)))
                .containsExactly("HotKeyPinned: key 42 has its own shard ds-hot");
        assertThat(told(cold(pinned, five)))
                .containsExactly(
                        "HotKeyCoolingDown: key 42 on ds-hot would have at most 1% of the requests at home; It would have"
                                + " less than half of the threshold at home; the plan takes it there if it stays so.");
        assertThat(told(sight(AUTOMATIC).asked("ds-0", 1_000, OTHER, 0).after(cooling)))
                .containsExactly("HotKeyFoldedBack: key 42 is back on ds-0 with its bucket");
        assertThat(told(sight(OFF).after(pinned)))
                .containsExactly("HotKeyFoldedBack: key 42 is back on ds-0 with its bucket");
        assertThat(told(sight("pins: [{key: '42', shard: ds-hot}]")
                        .pinned("42", "ds-hot")
                        .after(pinned)))
                .as("somebody else has it now")
                .isEmpty();
        assertThat(told(sight(AUTOMATIC).asked("ds-0", 1_000, OTHER, 0).after(proposal)))
                .containsExactly("HotKeyWithdrawn: key 42 is not proposed any more: it became cold where it is");
    }

    /** Another key of ds-0. */
    private static final String OTHER = "10";

    private static List<String> told(Sight sight) {
        return sight.seen().transitions().stream()
                .map(one -> one.reason() + ": " + one.message())
                .toList();
    }

    private static String state(ShardPolicyStatus status) {
        return status.hotKeys().getFirst().state();
    }

    private static List<BucketMove> made(Sight sight) {
        PolicyObservation seen = sight.seen();
        return MoveResources.moves(
                "shop", "orders", Spelling.of(seen).spelt(sight.plan().shown().orElseThrow()), Rebalancing.defaults());
    }

    private static String reason(ShardPolicyStatus status, ConditionType type) {
        return Conditions.find(status.conditions(), type).orElseThrow().reason();
    }
}
