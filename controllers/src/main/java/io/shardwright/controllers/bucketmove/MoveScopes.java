package io.shardwright.controllers.bucketmove;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicySpec;
import io.shardwright.meaning.Clusters;
import io.shardwright.meaning.Moves;
import io.shardwright.meaning.Policies;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What a move carries, as planner and movers know it. */
final class MoveScopes {
    private MoveScopes() {}

    /**
     * Buckets and keys of the spec. In which bucket a key lies says the cluster, or, when that is gone, its table; both never
     * change. With neither the key lies nowhere, and nothing is done with it.
     *
     * @param policy says whether people read keys or their hashes; without one that somebody has declared they read hashes
     */
    static SortedSet<Scope> of(
            BucketMove move, Optional<ShardCluster> cluster, Optional<RoutingTable> table, ShardPolicySpec policy) {
        SortedSet<Scope> scopes = cluster.map(found -> Moves.scopes(
                        move.getSpec(), Clusters.keyType(found.getSpec()), Clusters.bucketing(found.getSpec())))
                .or(() -> table.map(known -> Moves.scopes(move.getSpec(), known.keyType(), known.bucketing())))
                .orElseGet(() -> nowhere(move));
        return !Policies.isOne(policy) || policy.hotKeys().hashKeys()
                ? scopes.stream().map(Scope::hidden).collect(Collectors.toCollection(TreeSet::new))
                : scopes;
    }

    private static SortedSet<Scope> nowhere(BucketMove move) {
        SortedSet<Scope> scopes = new TreeSet<>(Scope.buckets(move.getSpec().buckets()));
        move.getSpec().keys().forEach(key -> scopes.add(Scope.key(key, Moves.NOWHERE)));
        return scopes;
    }

    static boolean isOfTable(Scope scope, RoutingTable table) {
        return scope.bucket() >= 0 && scope.bucket() < table.bucketMap().buckets();
    }

    /** What it carries, for people: "bucket" or "key". */
    static String noun(SortedSet<Scope> scopes) {
        return Scope.areKeys(scopes) ? "key" : "bucket";
    }
}
