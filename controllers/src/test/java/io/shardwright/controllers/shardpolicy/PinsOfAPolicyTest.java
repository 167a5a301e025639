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
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pins as a person sees them: proposed by hash, made as moves of keys, folded back when they are removed. */
class PinsOfAPolicyTest {
    private static final String PIN = "{pins: [{key: '042', shard: ds-hot}]}";
    private static final String HIDDEN = "{hashKeys: true, pins: [{key: '042', shard: ds-hot}]}";
    private static final String HASH = "sha256:73475cb40a568e8da8a045ced110137e159f890ac4da883b6b17dc651b3a8049";
    private static final String BALANCED = "ds-0*3,ds-1*3,ds-2*2";

    private static Sight sight(String hotKeys) {
        return new Sight().owners(BALANCED).hotKeys(hotKeys);
    }

    @Test
    void aNewPinIsAPlanThatWaitsForItsHash() {
        ShardPolicyStatus status = sight(PIN).status();

        assertThat(status.plan().moves()).containsExactly(new PlannedMove("ds-0", "ds-hot", null, List.of("42")));
        assertThat(reason(status, ConditionType.PLAN_APPROVED)).isEqualTo(Reason.AWAITING_APPROVAL.wire());
        assertThat(message(status, ConditionType.PLAN_APPROVED)).contains(" moves 1 key with 1 move and waits");
        assertThat(reason(status, ConditionType.IN_BALANCE)).isEqualTo(Reason.PINS_OPEN.wire());
        assertThat(status.hotKeys()).isEmpty();
    }

    @Test
    void theApprovedPlanIsMadeAsAMoveOfTheKey() {
        Plan plan = sight(PIN).status().plan();
        Sight approved = sight(PIN).approved(plan.hash()).after(sight(PIN).status());

        assertThat(approved.plan().create()).isTrue();
        assertThat(made(approved)).singleElement().satisfies(move -> {
            assertThat(move.getSpec().keys()).containsExactly("42");
            assertThat(move.getSpec().buckets()).isEmpty();
            assertThat(move.getSpec().to()).isEqualTo("ds-hot");
        });
    }

    @Test
    void modeAutomaticAsksNobody() {
        Sight first = sight(PIN).mode("Automatic");

        assertThat(sight(PIN).mode("Automatic").after(first.status()).plan().create())
                .isTrue();
    }

    @Test
    void aRemovedPinIsAMoveBackAndAKeptOneIsNothing() {
        assertThat(sight("{}").pinned("42", "ds-hot").status().plan().moves())
                .containsExactly(new PlannedMove("ds-hot", "ds-0", null, List.of("42")));
        assertThat(sight(PIN).pinned("42", "ds-hot").status().plan()).isNull();
    }

    @Test
    void whatIsPinnedIsShownWithTheTimeOfItsFirstSight() {
        ShardPolicyStatus first = sight(PIN).pinned("42", "ds-hot").status();
        ShardPolicyStatus before = earlier(first, "2026-01-01T00:00:00Z");

        assertThat(first.hotKeys()).containsExactly(new HotKey("42", "ds-hot", Sight.EIGHT.toString(), HotKey.PINNED));
        assertThat(sight(HIDDEN).pinned("42", "ds-hot").after(before).status().hotKeys())
                .containsExactly(new HotKey(HASH, "ds-hot", "2026-01-01T00:00:00Z", HotKey.PINNED));
        assertThat(sight(PIN).pinned("42", "ds-warm").after(before).status().hotKeys())
                .extracting(HotKey::since)
                .containsExactly(Sight.EIGHT.toString());
    }

    /** The moves that are made need the key itself; nothing that people read has it. */
    @Test
    void aHiddenKeyIsInTheSpecOfItsMoveOnly() {
        ShardPolicyStatus status = sight(HIDDEN).status();
        Sight approved = sight(HIDDEN).approved(status.plan().hash()).after(status);

        assertThat(status.toString()).contains(HASH).doesNotContainPattern("\\b0?42\\b");
        assertThat(approved.status().toString()).contains(HASH).doesNotContainPattern("\\b0?42\\b");
        assertThat(made(approved))
                .singleElement()
                .satisfies(move -> assertThat(move.getSpec().keys()).containsExactly("42"));
        assertThat(status.plan().hash()).isEqualTo(sight(PIN).status().plan().hash());
    }

    /** In one step somebody hides keys and takes a pin away: what is said of the plan of before names no key. */
    @Test
    void aPlanThatWasSeenBeforeKeysWereHiddenIsToldInHashes() {
        Plan before = sight(PIN).status().plan();
        Sight drifted = sight("{hashKeys: true}")
                .approved(before.hash())
                .knows(sight(PIN))
                .pinned("7", "ds-hot");

        assertThat(message(drifted.status(), ConditionType.PLAN_APPROVED))
                .startsWith("since the approval pin " + HASH + " was removed");
    }

    @Test
    void aPinThatCannotBeObeyedLeavesEveryKeyWhereItIsAndTheRestOfThePolicyInForce() {
        Sight unfit = sight("{pins: [{key: '42', shard: ds-1}]}").pinned("42", "ds-hot");
        ShardPolicyStatus status = unfit.status();

        assertThat(reason(status, ConditionType.ACCEPTED)).isEqualTo(Reason.PIN_UNFIT.wire());
        assertThat(message(status, ConditionType.ACCEPTED))
                .contains("spec.hotKeys.pins[0].shard: ds-1 is a General shard")
                .contains("Dedicated shards: ds-hot, ds-warm");
        assertThat(status.nextAction()).contains("spec.hotKeys.pins[0].shard");
        assertThat(status.plan()).isNull();
        assertThat(reason(status, ConditionType.IN_BALANCE)).isEqualTo(Reason.PIN_UNFIT.wire());
        assertThat(sight("{pins: [{key: '42', shard: ds-1}]}")
                        .owners("ds-0*6,ds-1*2")
                        .status()
                        .plan()
                        .moves())
                .allSatisfy(move -> assertThat(move.keys()).isEmpty());
    }

    /** While the key soaks on its new shard, its bucket stays where the way back leads. */
    @Test
    void aSoakingKeyHoldsThePlanThatMovesItsBucket() {
        Sight soaking = sight(PIN).pinned("42", "ds-hot").shards(2).owners("ds-2*1,ds-0*4,ds-1*3");
        soaking.moves.addAll(MoveResources.moves("shop", "orders", keyPlan(), Rebalancing.defaults()));
        soaking.moves.forEach(move -> move.setStatus(ended(MovePhase.REVERSIBLE)));
        Plan buckets = soaking.status().plan();
        Sight approved = soaking.approved(buckets.hash()).after(soaking.status());

        assertThat(buckets.moves())
                .anySatisfy(move -> assertThat(move.buckets()).contains(0));
        assertThat(approved.plan().create()).isFalse();
        assertThat(message(approved.status(), ConditionType.PLAN_APPROVED))
                .contains("its moves are made when BucketMove");
    }

    /** The same pin is the same plan each time; what the first run brought has gone home since. */
    @Test
    void aPinThatIsSetAgainIsMadeAgain() {
        Plan plan = keyPlan();
        Sight again =
                sight(PIN).approved(plan.hash()).after(sight(PIN).status()).moves(plan, MovePhase.SUCCEEDED);

        assertThat(again.plan().create()).isTrue();
        assertThat(sight(PIN)
                        .approved(plan.hash())
                        .after(sight(PIN).status())
                        .moves(plan, MovePhase.ABORTED)
                        .plan()
                        .create())
                .as("an aborted one was given up")
                .isFalse();
        Sight byHand = sight(PIN).approved(plan.hash()).after(again.status()).moves(plan, MovePhase.SUCCEEDED);
        assertThat(byHand.plan().create()).as("its approval was used").isFalse();
        assertThat(message(byHand.status(), ConditionType.PLAN_APPROVED))
                .endsWith("the moves of the plan were made once, and what they brought has left again");
    }

    /** There, home and there again, each time approved by its hash, as a person in mode Propose does it. */
    @Test
    void aPinThatIsSetAgainAfterItsKeyWasTakenHomeRunsByItsApproval() {
        Plan plan = keyPlan();
        Plan home = sight("{}").pinned("42", "ds-hot").status().plan();
        ShardPolicyStatus offered =
                sight("{}").pinned("42", "ds-hot").approved(home.hash()).status();
        Sight takenHome =
                sight("{}").pinned("42", "ds-hot").approved(home.hash()).after(offered);
        assertThat(takenHome.plan().create()).isTrue();

        Sight stores =
                sight(PIN).approved(plan.hash()).after(takenHome.status()).moves(plan, MovePhase.SUCCEEDED);
        Sight makes = sight(PIN).approved(plan.hash()).after(stores.status()).moves(plan, MovePhase.SUCCEEDED);

        assertThat(makes.plan().create()).isTrue();
    }

    private static Plan keyPlan() {
        return sight(PIN).status().plan();
    }

    private static io.shardwright.crds.bucketmove.BucketMoveStatus ended(MovePhase phase) {
        return new io.shardwright.crds.bucketmove.BucketMoveStatus(
                1L, phase.wire(), null, null, null, null, null, null, null, null, null, null, null, null);
    }

    private static List<BucketMove> made(Sight sight) {
        PolicyObservation seen = sight.seen();
        return MoveResources.moves(
                "shop", "orders", Spelling.of(seen).spelt(sight.plan().shown().orElseThrow()), Rebalancing.defaults());
    }

    private static ShardPolicyStatus earlier(ShardPolicyStatus status, String since) {
        return new ShardPolicyStatus(
                status.observedGeneration(),
                status.plan(),
                status.made(),
                status.hotKeys().stream()
                        .map(one -> new HotKey(one.key(), one.shard(), since, one.state()))
                        .toList(),
                status.nextAction(),
                status.conditions());
    }

    private static String reason(ShardPolicyStatus status, ConditionType type) {
        return Conditions.find(status.conditions(), type).orElseThrow().reason();
    }

    private static String message(ShardPolicyStatus status, ConditionType type) {
        return Conditions.find(status.conditions(), type).orElseThrow().message();
    }
}
