package io.shardwright.e2e.demo;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.e2e.load.LiveLoad;
import io.shardwright.stage.Stage;
import io.shardwright.stage.ledger.WriteWaits;
import io.shardwright.stage.shop.ShopTopology;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The second chapter of the demo: a move is taken back after its switch, when the application has written on the target. */
public final class ReversalChapter {
    private static final String NAME = "second-thoughts";
    private static final String FROM = "ds-0";
    private static final String TO = "ds-1";
    private static final int BUCKETS = 2;
    private static final int WRITES_ON_TARGET = 50;
    private static final Duration SWITCH_LIMIT = Duration.ofMinutes(2);
    private static final Duration WRITE_LIMIT = Duration.ofMinutes(1);
    private static final Duration BACK_LIMIT = Duration.ofMinutes(4);

    private final Stage stage;
    private final Narrator narrator;
    private DemoReport.Reversal told;

    public ReversalChapter(Stage stage, Narrator narrator) {
        this.stage = stage;
        this.narrator = narrator;
    }

    /** What happened. */
    public DemoReport.Reversal told() {
        return told;
    }

    public void play(LiveLoad load) {
        narrator.step("meanwhile one more move, and second thoughts: two buckets from " + FROM + " to " + TO);
        List<Integer> buckets =
                stage.truth().owned().get(FROM).stream().limit(BUCKETS).toList();
        load.aimAt(buckets);
        stage.apply(move(buckets)).orThrow();
        narrator.say("kubectl apply: BucketMove %s, buckets %s, soak 1h", NAME, buckets);
        stage.await("the move to be reversible", SWITCH_LIMIT, () -> phase().equals("Reversible"));
        Instant switched = Instant.now();
        double hold = longestHold();
        narrator.say(
                "%s owns them (writers waited %.1f ms at most); %s keeps its rows, and they are kept true",
                TO, hold, FROM);
        long written = awaitWrites(load, buckets, switched);
        narrator.say("the application has written at least %d times in each on %s", written, TO);
        reverse();
        told = new DemoReport.Reversal(buckets, FROM, TO, phase(), owners(buckets), written, hold, longestHold());
        narrator.say(
                "%s: %s owns them again (writers waited %.1f ms at most)",
                told.phase(), told.owners(), told.holdBackMs());
    }

    private void reverse() {
        narrator.step("take it back");
        String patch = "{\"spec\":{\"intent\":\"Reverse\"}}";
        narrator.say("kubectl patch bucketmove %s --type=merge -p '%s'", NAME, patch);
        stage.people()
                .engineer()
                .mergePatch("bucketmove", NAME, ShopTopology.NAMESPACE, patch)
                .orThrow();
        stage.await(
                "the move to be taken back",
                BACK_LIMIT,
                () -> Set.of("Reversed", "Succeeded", "Failed", "Aborted").contains(phase()));
    }

    private static String move(List<Integer> buckets) {
        return """
                apiVersion: shardwright.io/v1alpha1
                kind: BucketMove
                metadata: {name: %s, namespace: %s}
                spec: {clusterRef: {name: %s}, from: %s, to: %s, buckets: %s, soak: 1h}
                """.formatted(NAME, ShopTopology.NAMESPACE, ShopTopology.CLUSTER, FROM, TO, buckets);
    }

    private long awaitWrites(LiveLoad load, List<Integer> buckets, Instant since) {
        stage.await("writes on the target", WRITE_LIMIT, () -> leastWrites(load, buckets, since) >= WRITES_ON_TARGET);
        return leastWrites(load, buckets, since);
    }

    private long leastWrites(LiveLoad load, List<Integer> buckets, Instant since) {
        var waits = new WriteWaits(load.ledger(), stage.layout()::bucketOf);
        return buckets.stream()
                .mapToLong(bucket -> waits.acknowledged(bucket, since, Instant.now()))
                .min()
                .orElseThrow();
    }

    private Set<String> owners(List<Integer> buckets) {
        return stage.truth().owned().entrySet().stream()
                .filter(shard -> buckets.stream().anyMatch(shard.getValue()::contains))
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private BucketMoveStatus status() {
        BucketMove move = stage.client()
                .resources(BucketMove.class)
                .inNamespace(ShopTopology.NAMESPACE)
                .withName(NAME)
                .get();
        return move.getStatus();
    }

    private String phase() {
        BucketMoveStatus status = status();
        return status == null || status.phase() == null ? "Pending" : status.phase();
    }

    private double longestHold() {
        return status().switches().stream()
                .mapToDouble(BucketMoveStatus.Switch::actualMs)
                .max()
                .orElse(0);
    }
}
