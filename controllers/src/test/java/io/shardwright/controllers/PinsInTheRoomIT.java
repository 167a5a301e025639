package io.shardwright.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.ConditionType;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.HotKey;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.PlannedMove;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Pins of a policy on a real API server, see {@link RunningRoom}. Eight buckets on four shards; ds-4 is Dedicated. */
class PinsInTheRoomIT extends ShopRoom {
    private static final String KEY = "42";
    private static final String HASH = "sha256:73475cb40a568e8da8a045ced110137e159f890ac4da883b6b17dc651b3a8049";
    private static final String PINNED = "hotKeys: {pins: [{key: '42', shard: ds-4}]}";
    private static final String HIDDEN = "hotKeys: {hashKeys: true, pins: [{key: '42', shard: ds-4}]}";

    @Test
    void aPinIsApprovedByItsHashMovesTheKeyAndItsRemovalFoldsItBack() {
        String home = withADedicatedShard(PINNED);
        String there = approved(PINNED, new PlannedMove(home, "ds-4", null, List.of(KEY)));

        inAMinute("the move to end", () -> hasEnded(there));

        assertThat(shop.table().orElseThrow().getSpec().pins()).isEqualTo(Map.of(KEY, "ds-4"));
        assertThat(shop.table().orElseThrow().getSpec().handovers()).isEmpty();
        assertThat(world.keys("ds-4")).containsExactly("k:42 OWNED");
        eventually("the shard to count the key", () -> pins("ds-4") == 1);
        assertThat(shop.policy(POLICY).getStatus().hotKeys())
                .extracting(HotKey::key, HotKey::shard, HotKey::state)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(KEY, "ds-4", HotKey.PINNED));
        assertThat(shop.clusterCondition(ConditionType.FENCE_INSTALLED)
                        .orElseThrow()
                        .isTrue())
                .isTrue();

        shop.policy(POLICY, "Propose", "", "hotKeys: {}");
        String back = approved("hotKeys: {}", new PlannedMove("ds-4", home, null, List.of(KEY)));
        inAMinute("the way home to end", () -> hasEnded(back));

        assertThat(shop.table().orElseThrow().getSpec().pins()).isEmpty();
        assertThat(world.keys("ds-4")).isEmpty();
        assertThat(world.keys(home)).isEmpty();
        eventually(
                "nothing to be pinned",
                () -> pins("ds-4") == 0
                        && shop.policy(POLICY).getStatus().hotKeys().isEmpty());
    }

    @Test
    void aHiddenKeyIsInNoStatusAndNoEvent() {
        String home = withADedicatedShard(HIDDEN);
        String there = approved(HIDDEN, new PlannedMove(home, "ds-4", null, List.of(HASH)));

        inAMinute("the move to end", () -> hasEnded(there));

        BucketMove move = moveOf(there);
        assertThat(move.getSpec().keys()).containsExactly(KEY);
        String said = move.getStatus() + " " + shop.policy(POLICY).getStatus() + " "
                + shop.cluster().getStatus() + shop.events("Switched") + shop.events("Succeeded");
        assertThat(said).contains(HASH).doesNotContainPattern("key:?=? ?'?42|k:42|\\[42\\]");
    }

    private BucketMove moveOf(String plan) {
        return shop.moves().stream()
                .filter(move -> isOf(move, plan))
                .findFirst()
                .orElseThrow();
    }

    private int pins(String shard) {
        Integer pins = shop.cluster().getStatus().shards().get(shard).pins();
        return pins == null ? 0 : pins;
    }
}
