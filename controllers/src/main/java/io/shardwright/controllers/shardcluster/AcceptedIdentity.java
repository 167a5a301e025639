package io.shardwright.controllers.shardcluster;

import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Names;
import io.shardwright.crds.Reason;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A shard whose server is another one now: upgraded by pg_upgrade, replicated to a newer one, restored from a backup. A person
 * says by an annotation that the data is the shard's; this class asks the fence, which came along with the data, whether it can
 * be. Who decides nothing here changes nothing: the name keeps its database, and the table its endpoint.
 */
final class AcceptedIdentity {
    private final ClusterObservation seen;
    private final ShardSight sight;

    AcceptedIdentity(ClusterObservation seen, ShardSight sight) {
        this.seen = seen;
        this.sight = sight;
    }

    /** A person has named this very database system. */
    boolean asked() {
        return Optional.ofNullable(seen.cluster().getMetadata().getAnnotations())
                .map(annotations -> annotations.get(Names.ACCEPT_IDENTITY_ANNOTATION))
                .filter(sight.systemIdentifier()::equals)
                .isPresent();
    }

    /** What somebody types who is sure. */
    String command() {
        ShardCluster cluster = seen.cluster();
        return "kubectl annotate shardcluster " + cluster.getMetadata().getName() + " -n "
                + cluster.getMetadata().getNamespace() + " --overwrite " + Names.ACCEPT_IDENTITY_ANNOTATION + "="
                + sight.systemIdentifier();
    }

    /** Why it is not accepted although somebody asked; empty when it is. */
    Optional<ClusterPlan.Decision> refusal() {
        return moves().or(this::fence);
    }

    /** What a move has begun there cannot be checked by the table, and its slot is gone. */
    private Optional<ClusterPlan.Decision> moves() {
        var keeping = ShardFindings.keeping(seen, sight.shard());
        return keeping.isEmpty()
                ? Optional.empty()
                : refuse(
                        "moves have begun there: " + ClusterWords.names(keeping),
                        "let these moves end, or abort or complete them; the annotation is obeyed after that");
    }

    private Optional<ClusterPlan.Decision> fence() {
        return seen.table()
                .flatMap(table -> misfit(table).or(() -> misfitKey(table)))
                .flatMap(what -> refuse(
                        what,
                        "bring schema shardwright with its rows from the old server; after a restore correct the rows of the"
                                + " bucket as docs/runbooks/ShardwrightShardUnreachable.md says"));
    }

    /** The first bucket whose row cannot be that of the shard: one that is lacking, or older than what routers know. */
    private Optional<String> misfit(RoutingTable table) {
        Map<Integer, FenceRow> rows = sight.fence();
        for (int bucket = 0; bucket < table.epochs().buckets(); bucket++) {
            String owner = table.bucketMap().get(bucket);
            long epoch = table.epochs().get(bucket);
            Optional<FenceRow> row = Optional.ofNullable(rows.get(bucket));
            boolean owned = row.filter(one -> one.state() == FenceState.OWNED).isPresent();
            boolean newer = row.filter(one -> one.epoch() > epoch).isPresent();
            boolean level = row.filter(one -> one.epoch() == epoch).isPresent();
            if (owner.equals(sight.shard()) ? !newer && !(owned && level) : owned && !newer) {
                return Optional.of("by the routing table bucket " + bucket + " belongs to " + owner + " with epoch "
                        + epoch + ", and the fence there has "
                        + row.map(one -> one.state() + " with epoch " + one.epoch())
                                .orElse("no row of it"));
            }
        }
        return Optional.empty();
    }

    /** The same of keys: which one is not said, for somebody may want them to be read by nobody. */
    private Optional<String> misfitKey(RoutingTable table) {
        SortedSet<Scope> keys = new TreeSet<>(table.pinned().keySet());
        keys.addAll(sight.keys().keySet());
        return keys.stream()
                .filter(key -> table.owner(key).equals(sight.shard()) != accepts(key))
                .findFirst()
                .map(key -> "by the routing table a key of bucket " + key.bucket() + " belongs to " + table.owner(key)
                        + ", and the fence there says otherwise");
    }

    /** The most specific row decides. */
    private boolean accepts(Scope key) {
        return Optional.ofNullable(sight.keys().get(key))
                .or(() -> Optional.ofNullable(sight.fence().get(key.bucket())))
                .filter(row -> row.state() == FenceState.OWNED)
                .isPresent();
    }

    private Optional<ClusterPlan.Decision> refuse(String why, String nextAction) {
        return ClusterChecks.refuse(
                ConditionType.REACHABLE,
                Reason.IDENTITY_CHANGED,
                "spec.shards: " + sight.shard() + " leads to " + sight.systemIdentifier()
                        + " now, which the annotation " + Names.ACCEPT_IDENTITY_ANNOTATION
                        + " names, and is not accepted: " + why,
                nextAction);
    }
}
