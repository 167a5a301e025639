package io.shardwright.e2e.shop;

import io.shardwright.crds.Condition;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.e2e.load.LiveLoad;
import io.shardwright.stage.Stage;
import io.shardwright.stage.ledger.AuditReport;
import io.shardwright.stage.ledger.LedgerAudit;
import io.shardwright.stage.ledger.LedgerLine;
import io.shardwright.stage.ledger.Outcome;
import io.shardwright.stage.ledger.StoredRow;
import io.shardwright.stage.shop.ShardDatabase;
import io.shardwright.stage.shop.ShopTopology;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** What stories say about the sample shop: apply a move, look at a phase, count what the ledgers say. */
public final class Shop {
    public static final Duration SOON = Duration.ofSeconds(60);

    private final Stage stage;

    public Shop(Stage stage) {
        this.stage = stage;
    }

    public Stage stage() {
        return stage;
    }

    public ShardCluster cluster() {
        return stage.client()
                .resources(ShardCluster.class)
                .inNamespace(ShopTopology.NAMESPACE)
                .withName(ShopTopology.CLUSTER)
                .get();
    }

    public void awaitReady() {
        stage.await(
                "the ShardCluster to be Ready",
                SOON,
                () -> condition("Ready").map(Condition::isTrue).orElse(false));
    }

    public Optional<Condition> condition(String type) {
        ShardCluster cluster = cluster();
        return cluster == null || cluster.getStatus() == null
                ? Optional.empty()
                : cluster.getStatus().conditions().stream()
                        .filter(condition -> condition.type().equals(type))
                        .findFirst();
    }

    /** Web processes that have acknowledged the table, of those that live: {@code 2/2}. */
    public String acknowledgedWebs() {
        var status = cluster().getStatus();
        return status.routing() == null || status.routing().acked() == null
                ? ""
                : status.routing().acked().web();
    }

    /** {@code kubectl apply} of a move made by hand, which is cleaned up as soon as it may be. */
    public void move(String name, String from, String to, int... buckets) {
        stage.apply("""
                        apiVersion: shardwright.io/v1alpha1
                        kind: BucketMove
                        metadata: {name: %s, namespace: %s}
                        spec: {clusterRef: {name: %s}, from: %s, to: %s, buckets: %s, soak: 0s}
                        """.formatted(
                                name,
                                ShopTopology.NAMESPACE,
                                ShopTopology.CLUSTER,
                                from,
                                to,
                                java.util.Arrays.toString(buckets)))
                .orThrow();
    }

    /** {@code kubectl patch} of what is wanted of a move. */
    public void intent(String move, String intent) {
        stage.people()
                .engineer()
                .mergePatch("bucketmove", move, ShopTopology.NAMESPACE, "{\"spec\":{\"intent\":\"" + intent + "\"}}")
                .orThrow();
    }

    public BucketMove move(String name) {
        return stage.client()
                .resources(BucketMove.class)
                .inNamespace(ShopTopology.NAMESPACE)
                .withName(name)
                .get();
    }

    public String phase(String move) {
        BucketMove object = move(move);
        return object == null
                        || object.getStatus() == null
                        || object.getStatus().phase() == null
                ? ""
                : object.getStatus().phase();
    }

    public boolean allMovesSucceeded() {
        return stage.client().resources(BucketMove.class).inNamespace(ShopTopology.NAMESPACE).list().getItems().stream()
                .allMatch(move -> phase(move.getMetadata().getName()).equals("Succeeded"));
    }

    public void awaitPhase(String move, Duration limit, String... phases) {
        stage.await(
                move + " to be " + String.join(" or ", phases),
                limit,
                () -> List.of(phases).contains(phase(move)));
    }

    public boolean isTrue(String move, String condition) {
        BucketMove object = move(move);
        return object != null
                && object.getStatus() != null
                && object.getStatus().conditions().stream()
                        .anyMatch(one -> one.type().equals(condition) && one.isTrue());
    }

    public String owner(int bucket) {
        return stage.truth().owned().entrySet().stream()
                .filter(shard -> shard.getValue().contains(bucket))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse("nobody");
    }

    /** What {@code kubectl describe} tells a person who asks why the move stands. */
    public String describe(String move) {
        return kubectl("-n", ShopTopology.NAMESPACE, "describe", "bucketmove", move);
    }

    /** A session of the application on a shard, past every router. @param options of the URL, as {@code ?ApplicationName=tool} */
    public Connection application(String shard, String options) throws SQLException {
        return DriverManager.getConnection(
                stage.shard(shard).server().url(ShardDatabase.DATABASE) + options,
                ShardDatabase.APPLICATION_LOGIN,
                stage.databases().passwords().application());
    }

    public String kubectl(String... arguments) {
        return stage.people().engineer().run(arguments).orThrow();
    }

    /**
     * Compares what the routers heard with what lies in the databases, also while they go on writing: what was acknowledged
     * before the databases were read must be there; what came later may be.
     */
    public AuditReport audit(LiveLoad load, LedgerAudit.Copies copies) {
        return audit(load::ledger, copies);
    }

    /** @param heard every operation of every writer, as of now */
    public AuditReport audit(Supplier<List<LedgerLine>> heard, LedgerAudit.Copies copies) {
        var owned = stage.truth().owned();
        var keys = stage.truth().ownersOfKeys();
        Set<Long> before = heard.get().stream()
                .filter(line -> line.outcome() == Outcome.ACKNOWLEDGED)
                .map(line -> line.entry().id())
                .collect(Collectors.toSet());
        var stored = StoredRow.read(stage.databases().all());
        List<LedgerLine> ledger = heard.get().stream()
                .map(line -> line.outcome() == Outcome.ACKNOWLEDGED
                                && !before.contains(line.entry().id())
                        ? new LedgerLine(line.entry(), Outcome.UNKNOWN, line.endMicros())
                        : line)
                .toList();
        return new LedgerAudit(
                        tenant -> keys.getOrDefault(
                                Long.toString(tenant),
                                owned.entrySet().stream()
                                        .filter(shard -> shard.getValue()
                                                .contains(stage.layout().bucketOf(tenant)))
                                        .map(Map.Entry::getKey)
                                        .findFirst()
                                        .orElse("nobody")),
                        copies)
                .audit(ledger, stored);
    }
}
