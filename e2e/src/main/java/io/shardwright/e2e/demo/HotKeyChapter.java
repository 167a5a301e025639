package io.shardwright.e2e.demo;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.HotKey;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.PlannedMove;
import io.shardwright.e2e.load.LiveLoad;
import io.shardwright.stage.Stage;
import io.shardwright.stage.ledger.WriteWaits;
import io.shardwright.stage.shop.ShopTopology;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The third chapter of the demo: one tenant is written as much as all others together, is found by what the routers report, gets a
 * shard for itself while it is written, and goes home when it is like the others again.
 */
public final class HotKeyChapter {
    /** Of the builder of the stage: the database of the Dedicated shard. */
    public static final String DEDICATED = "ds-hot";

    private static final long TENANT = 42;
    private static final String KEY = Long.toString(TENANT);
    private static final int WRITES_WHILE_ISOLATED = 50;
    private static final Duration DETECTION_LIMIT = Duration.ofMinutes(4);
    private static final Duration MOVE_LIMIT = Duration.ofMinutes(4);

    /** The shortest that a policy may say, for nobody waits for half an hour here. */
    private static final String DETECTION = "{\"spec\":{\"hotKeys\":{\"detection\":{\"mode\":\"Propose\","
            + "\"threshold\":\"20%\",\"window\":\"30s\",\"cooldown\":\"30s\",\"targets\":[\"" + DEDICATED + "\"]}}}}";

    private final Stage stage;
    private final Narrator narrator;
    private final int general;
    private final PlanDesk desk;
    private DemoReport.IsolatedKey told;

    /** @param general shards that the topology has before this chapter */
    public HotKeyChapter(Stage stage, Narrator narrator, int general) {
        this.stage = stage;
        this.narrator = narrator;
        this.general = general;
        desk = new PlanDesk(stage);
    }

    /** What happened. */
    public DemoReport.IsolatedKey told() {
        return told;
    }

    /** From now on the tenant is written hard; the routers' figures take their time, in which another chapter may be played. */
    public void begin(LiveLoad load) {
        narrator.step("tenant " + KEY + " is written as much as all others together");
        narrator.say("kubectl apply: the same ShardCluster with a Dedicated shard, %s", DEDICATED);
        stage.applyTopologyWithDedicated(general).orThrow();
        narrator.say("kubectl patch shardpolicy orders --type=merge -p '%s'", DETECTION);
        desk.change(DETECTION);
        load.writeHard(List.of(TENANT));
    }

    public void play(LiveLoad load) {
        narrator.step("the operator has found it in what the routers report, and proposes a shard for it");
        PlannedMove there = awaitPlan(Optional.empty());
        HotKey proposed = hotKey().orElseThrow();
        narrator.say(
                "key %s has at least %s of the requests to %s; p95 of its neighbours there: %s",
                KEY, proposed.share(), there.from(), proposed.neighbourP95Before());
        approve();
        stage.await(
                "the key to be isolated",
                MOVE_LIMIT,
                () -> hotKey().filter(key -> key.state().equals(HotKey.PINNED)).isPresent());
        String owner = stage.truth().ownersOfKeys().getOrDefault(KEY, "nobody");
        Instant isolated = Instant.now();
        narrator.say("%s has it, while it is written; its bucket stays on %s", owner, there.from());
        long written = awaitWrites(load, isolated);
        stage.await(
                "the neighbours' p95 without it",
                DETECTION_LIMIT,
                () -> hotKey().map(HotKey::neighbourP95After).isPresent());
        HotKey pinned = hotKey().orElseThrow();
        narrator.say(
                "p95 of its neighbours: %s before, %s after; it was written %d times on %s meanwhile",
                pinned.neighbourP95Before(), pinned.neighbourP95After(), written, DEDICATED);
        goHome(load);
        told = new DemoReport.IsolatedKey(
                KEY,
                there.from(),
                owner,
                stage.truth().keyRows(),
                written,
                longestHold(there.from()),
                longestHold(DEDICATED),
                pinned.neighbourP95Before(),
                pinned.neighbourP95After());
    }

    private void goHome(LiveLoad load) {
        narrator.step("later it is written like the others; when it has been so for a while, it goes home");
        load.writeHard(List.of());
        PlannedMove back = awaitPlan(Optional.of(DEDICATED));
        narrator.say("planned: key %s from %s to %s", KEY, back.from(), back.to());
        approve();
        stage.await(
                "the key to be home",
                MOVE_LIMIT,
                () -> hotKey().isEmpty() && stage.truth().keyRows().isEmpty());
        narrator.say("it lives with its bucket on %s again, and no row of the journey is left", back.to());
    }

    /** @param from where the key has to be planned to leave; from anywhere when nothing is said */
    private PlannedMove awaitPlan(Optional<String> from) {
        stage.await(
                "a plan that moves key " + KEY,
                DETECTION_LIMIT,
                () -> planned(from).isPresent());
        return planned(from).orElseThrow();
    }

    private Optional<PlannedMove> planned(Optional<String> from) {
        return desk.plan().stream()
                .flatMap(plan -> plan.moves().stream())
                .filter(move -> move.keys().contains(KEY))
                .filter(move -> from.isEmpty() || from.get().equals(move.from()))
                .findFirst();
    }

    private void approve() {
        Plan plan = desk.plan().orElseThrow();
        narrator.say("kubectl patch shardpolicy orders --type=merge -p '%s'", PlanDesk.approval(plan));
        desk.approve(plan);
    }

    private Optional<HotKey> hotKey() {
        return desk.policy().getStatus().hotKeys().stream()
                .filter(key -> key.key().equals(KEY))
                .findFirst();
    }

    private long awaitWrites(LiveLoad load, Instant since) {
        stage.await("writes of the isolated tenant", MOVE_LIMIT, () -> writes(load, since) >= WRITES_WHILE_ISOLATED);
        return writes(load, since);
    }

    private static long writes(LiveLoad load, Instant since) {
        return new WriteWaits(load.ledger(), tenant -> tenant == TENANT ? 1 : 0).acknowledged(1, since, Instant.now());
    }

    /** Of the moves of the key away from a shard. */
    private double longestHold(String from) {
        return stage.client().resources(BucketMove.class).inNamespace(ShopTopology.NAMESPACE).list().getItems().stream()
                .filter(move -> move.getSpec().keys().contains(KEY)
                        && move.getSpec().from().equals(from))
                .flatMap(move -> move.getStatus().switches().stream())
                .mapToDouble(BucketMoveStatus.Switch::actualMs)
                .max()
                .orElse(0);
    }
}
