package io.shardwright.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.ConditionType;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.HotKey;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.PlannedMove;
import io.shardwright.routing.KeyLoad;
import io.shardwright.routing.Latencies;
import io.shardwright.routing.Role;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.ShardLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Hot keys that routers report, on a real API server, see {@link RunningRoom}. Eight buckets on four shards; ds-4 is Dedicated. Each
 * router asks every General shard for 600 keys a minute, and for key 42 another 400 times where the table has it.
 */
class HotKeysInTheRoomIT extends ShopRoom {
    private static final String KEY = "42";
    private static final String HASH = "sha256:73475cb40a568e8da8a045ced110137e159f890ac4da883b6b17dc651b3a8049";
    private static final String SETTINGS = ", targets: [ds-4], window: 1m, cooldown: 1m}}";
    private static final String PROPOSE = "hotKeys: {detection: {mode: Propose" + SETTINGS;
    private static final String OFF = "hotKeys: {detection: {mode: 'Off'" + SETTINGS;
    private static final String AUTOMATIC = "hotKeys: {hashKeys: true, detection: {mode: Automatic" + SETTINGS;

    @Test
    void aHotKeyIsProposedMovesWhenItsPlanIsApprovedAndIsPlannedHomeWhenDetectionIsOff() {
        String home = withADedicatedShard(PROPOSE);
        routers.ask(table -> load(table, home));
        String there = approved(PROPOSE, new PlannedMove(home, "ds-4", null, List.of(KEY)));

        assertThat(hotKey().orElseThrow().state()).isEqualTo("Proposed");
        assertThat(hotKey().orElseThrow().share()).isEqualTo("40%");
        inAMinute("the move to end", () -> hasEnded(there));
        eventually("the key to be pinned", () -> isInState("Pinned"));
        assertThat(shop.table().orElseThrow().getSpec().pins()).isEqualTo(Map.of(KEY, "ds-4"));
        assertThat(world.keys("ds-4")).containsExactly("k:42 OWNED");
        assertThat(hotKey().orElseThrow().formerShard()).isEqualTo(home);
        assertThat(hotKey().orElseThrow().neighbourP95Before()).isEqualTo("4.4ms");
        assertThat(shop.events("HotKeyProposed")).hasSize(1);
        assertThat(shop.events("HotKeyPinned")).hasSize(1);

        shop.policy(POLICY, "Propose", "", OFF);
        String back = approved(OFF, new PlannedMove("ds-4", home, null, List.of(KEY)));
        inAMinute("the way home to end", () -> hasEnded(back));
        eventually("the key to be forgotten", () -> hotKey().isEmpty());

        assertThat(shop.table().orElseThrow().getSpec().pins()).isEmpty();
        assertThat(world.keys("ds-4")).isEmpty();
        assertThat(shop.events("HotKeyFoldedBack")).hasSize(1);
    }

    @Test
    void modeAutomaticMovesTheKeyByItselfAndShowsItToNobody() {
        String home = withADedicatedShard(AUTOMATIC);
        routers.ask(table -> load(table, home));

        inAMinute(
                "the key to be pinned",
                () -> shop.table().orElseThrow().getSpec().pins().equals(Map.of(KEY, "ds-4")) && isInState("Pinned"));

        assertThat(shop.moves())
                .singleElement()
                .satisfies(move -> assertThat(move.getSpec().keys()).containsExactly(KEY));
        String said = shop.policy(POLICY).getStatus() + " " + shop.cluster().getStatus() + shop.events("HotKeyProposed")
                + shop.events("HotKeyPinned") + shop.moves().getFirst().getStatus();
        assertThat(said).contains(HASH).doesNotContainPattern("key:?=? ?'?42|k:42|\\[42\\]");
        HotKey remembered = hotKey().orElseThrow();
        restart(() -> {});
        routers.ask(table -> load(table, home));
        routers.rejoin("worker-0", Role.WORKER).rejoin("web-0", Role.WEB);
        eventually("the next leader to look", () -> clusterIs(ConditionType.READY, "Settled"));
        assertThat(hotKey())
                .as("a leader whom nobody has reported anything leaves the key as it is")
                .contains(remembered);
    }

    private Optional<HotKey> hotKey() {
        return shop.policy(POLICY).getStatus().hotKeys().stream().findFirst();
    }

    private boolean isInState(String state) {
        return hotKey().filter(key -> key.state().equals(state)).isPresent();
    }

    private static List<ShardLoad> load(RoutingTable table, String home) {
        List<ShardLoad> loads = new ArrayList<>();
        String serving = table.pins().getOrDefault(KEY, home);
        for (String shard : new TreeSet<>(table.bucketMap().values())) {
            loads.add(
                    shard.equals(serving)
                            ? new ShardLoad(shard, 1_000, List.of(new KeyLoad(KEY, 400, 404)), latencies())
                            : new ShardLoad(shard, 600, List.of(), latencies()));
        }
        if (!serving.equals(home)) {
            loads.add(new ShardLoad(serving, 400, List.of(new KeyLoad(KEY, 400, 400)), Latencies.NONE));
        }
        return loads;
    }

    private static Latencies latencies() {
        return new Latencies(Map.of(Latencies.bucketOf(4_000), 600L));
    }
}
