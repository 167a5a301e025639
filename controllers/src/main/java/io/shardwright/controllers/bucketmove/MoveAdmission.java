package io.shardwright.controllers.bucketmove;

import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.Names;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.crds.shardcluster.Shard;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.meaning.Clusters;
import io.shardwright.meaning.Moves;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What other objects say against a move. A move that has begun is judged by what it needs to go on only: a cluster that
 * has become unhealthy elsewhere must not keep a fenced bucket from being activated.
 */
final class MoveAdmission {
    private final BucketMove move;
    private final BucketMoveSpec spec;
    private final MovePhase stored;
    private final SortedSet<Scope> scopes;

    /** @param scopes what it carries, as people may read it */
    MoveAdmission(BucketMove move, MovePhase stored, SortedSet<Scope> scopes) {
        this.move = move;
        this.spec = move.getSpec();
        this.stored = stored;
        this.scopes = scopes;
    }

    /** The first rule that speaks against it, in a fixed order. */
    Optional<SeenMove.Refusal> judge(Optional<ShardCluster> cluster, Optional<RoutingTable> table) {
        if (cluster.isEmpty()) {
            return refuse(
                    Reason.CLUSTER_NOT_FOUND,
                    "spec.clusterRef: there is no ShardCluster "
                            + spec.clusterRef().name() + " in namespace "
                            + move.getMetadata().getNamespace() + ": create it"
                            + (stored == MovePhase.PENDING
                                    ? ", or delete this move"
                                    : " again; this move has begun and cannot go on or be taken back without it"));
        }
        return shard(cluster.get(), spec.from(), "from")
                .or(() -> shard(cluster.get(), spec.to(), "to"))
                .or(() -> range(cluster.get()))
                .or(() -> keys(cluster.get()))
                .or(() -> stored == MovePhase.PENDING ? start(cluster.get(), table) : Optional.empty());
    }

    private Optional<SeenMove.Refusal> shard(ShardCluster cluster, String name, String field) {
        Optional<Shard> shard = cluster.getSpec().shard(name);
        if (shard.isEmpty()) {
            return refuse(
                    Reason.SHARD_NOT_FOUND,
                    "spec." + field + ": ShardCluster " + cluster.getMetadata().getName() + " has no shard " + name
                            + "; it has "
                            + cluster.getSpec().shards().stream()
                                    .map(Shard::name)
                                    .toList());
        }
        if (field.equals("to")
                && stored == MovePhase.PENDING
                && spec.keys().isEmpty()
                && shard.get().role() != Shard.Role.GENERAL) {
            return refuse(
                    Reason.SHARD_NOT_GENERAL,
                    "spec.to: " + name + " is a Dedicated shard and serves pinned keys only: name a General one");
        }
        return Optional.empty();
    }

    /** A key in another spelling would be another key for the fence, of which no shard has a row. */
    private Optional<SeenMove.Refusal> keys(ShardCluster cluster) {
        KeyType type = Clusters.keyType(cluster.getSpec());
        return scopes.stream()
                .filter(scope ->
                        scope.key().filter(key -> !Moves.isCanonical(key, type)).isPresent())
                .findFirst()
                .flatMap(key -> refuse(
                        Reason.KEY_UNFIT,
                        "spec.keys: " + key + " is no key of type " + type.wire() + " in its canonical text: "
                                + switch (type) {
                                    case INT64 -> "write a whole number of 64 bits without leading zeros, like '42'";
                                    case UUID -> "write a UUID in lower case";
                                    case STRING -> "write a text without U+0000";
                                }));
    }

    /** A key that lies where neither its pin nor its bucket leads would be found by nobody who looks for the rule. */
    private Optional<SeenMove.Refusal> target(ShardCluster cluster, RoutingTable table) {
        Shard to = cluster.getSpec().shard(spec.to()).orElseThrow();
        boolean takesKeys = to.role() == Shard.Role.DEDICATED && to.weight() > 0;
        return scopes.stream()
                .filter(Scope::isKey)
                .filter(key ->
                        !takesKeys && !table.bucketMap().get(key.bucket()).equals(spec.to()))
                .findFirst()
                .flatMap(key -> refuse(
                        Reason.KEY_TARGET_UNFIT,
                        "spec.to: " + spec.to()
                                + (to.role() == Shard.Role.DEDICATED
                                        ? " is drained (weight 0) and takes no keys"
                                        : " is a General shard and does not own bucket " + key.bucket() + " of key "
                                                + key)
                                + ": name a Dedicated shard, or "
                                + table.bucketMap().get(key.bucket())
                                + " to fold the key back"));
    }

    private Optional<SeenMove.Refusal> range(ShardCluster cluster) {
        int buckets = cluster.getSpec().sharding().buckets();
        return spec.buckets().stream()
                .filter(bucket -> bucket >= buckets)
                .findFirst()
                .flatMap(bucket -> refuse(
                        Reason.BUCKET_OUT_OF_RANGE,
                        "spec.buckets: " + bucket + " is no bucket of this cluster, they count from 0 to "
                                + (buckets - 1)));
    }

    private Optional<SeenMove.Refusal> start(ShardCluster cluster, Optional<RoutingTable> table) {
        boolean current = cluster.getStatus() != null
                && cluster.getMetadata()
                        .getGeneration()
                        .equals(cluster.getStatus().observedGeneration());
        List<Condition> conditions = current ? cluster.getStatus().conditions() : List.of();
        Optional<ConditionType> missing = Stream.of(
                        ConditionType.ACCEPTED, ConditionType.REACHABLE, ConditionType.FENCE_INSTALLED)
                .filter(Predicate.not(type -> Conditions.isTrue(conditions, type)))
                .findFirst();
        if (missing.isPresent() || table.isEmpty()) {
            String what = missing.map(type -> type.wire() + " is not True: "
                            + Conditions.find(conditions, type)
                                    .map(Condition::message)
                                    .orElse("it was not looked at yet"))
                    .orElse("it has no routing table yet");
            return refuse(
                    Reason.CLUSTER_NOT_ACCEPTED,
                    "ShardCluster " + cluster.getMetadata().getName() + ": " + what);
        }
        return owner(table.get()).or(() -> target(cluster, table.get()));
    }

    private Optional<SeenMove.Refusal> owner(RoutingTable table) {
        return scopes.stream()
                .filter(scope -> !isAtOneEnd(table.owner(scope)))
                .findFirst()
                .flatMap(scope -> refuse(
                        scope.isKey() ? Reason.KEY_NOT_OWNED_BY_SOURCE : Reason.BUCKET_NOT_OWNED_BY_SOURCE,
                        (scope.isKey() ? "spec.keys: key " : "spec.buckets: bucket ") + scope + " is owned by "
                                + table.owner(scope) + ", not by " + spec.from()
                                + ": name its owner in a new move"));
    }

    private boolean isAtOneEnd(String owner) {
        return owner.equals(spec.from()) || owner.equals(spec.to());
    }

    private Optional<SeenMove.Refusal> refuse(Reason reason, String message) {
        return Optional.of(new SeenMove.Refusal(reason, message + lettingGo(move)));
    }

    /** Who deletes a move that cannot be taken back would wait for ever without this word. */
    static String lettingGo(BucketMove move) {
        return move.isMarkedForDeletion()
                ? "; to let this object go without cleaning: kubectl annotate bucketmove "
                        + move.getMetadata().getName() + " -n "
                        + move.getMetadata().getNamespace() + " " + Names.FORCE_REMOVE_ANNOTATION + "=\"<reason>\""
                : "";
    }
}
