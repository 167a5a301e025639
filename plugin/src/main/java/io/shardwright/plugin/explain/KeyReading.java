package io.shardwright.plugin.explain;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.meaning.Clusters;
import io.shardwright.meaning.Tables;
import io.shardwright.plugin.Phases;
import io.shardwright.plugin.Refusal;
import io.shardwright.routing.Handover;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.Role;
import io.shardwright.routing.Route;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardEntry;
import io.shardwright.routing.ShardKey;
import io.shardwright.routing.UnroutableKeyException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Routes one key as a router does, by the contract's own code, and tells how: pure. */
final class KeyReading {
    private final ShardCluster cluster;
    private final RoutingTable table;

    private KeyReading(ShardCluster cluster, RoutingTable table) {
        this.cluster = cluster;
        this.table = table;
    }

    /** @throws Refusal when the key is none, when there is no table, or when table and cluster do not fit together */
    static Explanation explain(
            ShardCluster cluster,
            Optional<io.shardwright.crds.routingtable.RoutingTable> stored,
            Collection<BucketMove> moves,
            String text) {
        String name = cluster.getMetadata().getName();
        String look = "see why: kubectl -n " + cluster.getMetadata().getNamespace() + " describe shardcluster " + name;
        RoutingTable table = stored.map(Tables::table)
                .orElseThrow(() -> new Refusal(
                        "ShardCluster " + name + " has no routing table yet: no key has a shard by it", look));
        KeyReading reading = new KeyReading(cluster, table);
        if (!reading.fits()) {
            throw new Refusal(
                    "the routing table of " + name + " hashes other keys, or in another way, than its ShardCluster"
                            + " declares: it is of an earlier cluster of that name",
                    look);
        }
        return reading.explain(key(table.keyType(), text), moves);
    }

    private boolean fits() {
        return Clusters.keyType(cluster.getSpec()) == table.keyType()
                && Clusters.bucketing(cluster.getSpec()).equals(table.bucketing());
    }

    private static ShardKey key(KeyType type, String text) {
        try {
            return ShardKey.of(type, text);
        } catch (UnroutableKeyException e) {
            throw new Refusal(
                    "'" + text + "' is no key of type " + type.wire(),
                    switch (type) {
                        case INT64 ->
                            "give a whole number of 64 bits, like 42 (a negative one after --: explain -- -42)";
                        case UUID -> "give a UUID like 0191d0a4-7a4e-7c3b-9d6e-2f1b8c9d0e1f";
                        case STRING -> "give a text without U+0000";
                    });
        }
    }

    private Explanation explain(ShardKey key, Collection<BucketMove> moves) {
        Scope scope = Scope.of(key, table.bucketing());
        int bucket = scope.bucket();
        String pinned = table.pins().get(key.text());
        String owner = table.owner(scope);
        Route worker = table.route(key, Role.WORKER);
        Route web = table.route(key, Role.WEB);
        return new Explanation(
                cluster.getMetadata().getNamespace(),
                cluster.getMetadata().getName(),
                key.text(),
                table.keyType().wire(),
                table.bucketing().hash().wire(),
                table.bucketing().hashOf(key),
                bucket,
                table.bucketing().buckets(),
                owner,
                primary(owner),
                pinned == null ? "bucket" : "pin",
                pinned == null ? table.epochs().get(bucket) : 0,
                worker.shard(),
                web.shard(),
                table.order().revision(),
                table.order().incarnation(),
                handover(scope)
                        .or(() -> pinned == null ? handover(scope.ofBucket()) : Optional.empty())
                        .orElse(null),
                moving(scope, pinned != null, moves));
    }

    private String primary(String shard) {
        ShardEntry entry = table.shards().get(shard);
        return entry == null ? "not in the table" : entry.host() + ":" + entry.port();
    }

    private Optional<Explanation.Handover> handover(Scope scope) {
        return table.handovers().stream()
                .filter(handover -> handover.scopes().containsKey(scope))
                .findFirst()
                .map(handover -> new Explanation.Handover(
                        handover.to(), handover.scopes().get(scope), roles(handover)));
    }

    private static List<String> roles(Handover handover) {
        return handover.visibleTo().stream().sorted().map(Role::wire).toList();
    }

    /** A move of its bucket does not carry a pinned key. */
    private static List<Explanation.Move> moving(Scope scope, boolean pinned, Collection<BucketMove> moves) {
        return moves.stream()
                .filter(move -> move.getSpec().keys().contains(scope.key().orElseThrow())
                        || !pinned && move.getSpec().buckets().contains(scope.bucket()))
                .filter(move -> !Phases.hasEnded(move))
                .map(move -> new Explanation.Move(
                        move.getMetadata().getName(),
                        move.getSpec().from(),
                        move.getSpec().to(),
                        Phases.of(move)))
                .toList();
    }
}
