package io.shardwright.controllers.shardcluster;

import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Reason;
import io.shardwright.crds.shardcluster.Shard;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.crds.shardcluster.ShardClusterStatus.ShardFinding;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.RoutingTable;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Whether the database behind a name is the shard of that name. A name that was found fit once stays with its database, until a
 * person says that another one has its data (see {@link AcceptedIdentity}). Before that a server that is another shard already, and a fence that speaks of buckets of another shard, show a wrong endpoint:
 * nothing of such a database is noted, so that a corrected endpoint is all it takes.
 */
final class ShardIdentities {
    private final ClusterObservation seen;
    private final Optional<RoutingTable> table;
    private final Map<String, ShardSight> sights;
    private final Map<String, String> recorded = new TreeMap<>();

    ShardIdentities(ClusterObservation seen) {
        this.seen = seen;
        this.table = seen.table();
        this.sights = seen.sight()
                .map(sight -> (Map<String, ShardSight>) sight.shards())
                .orElse(Map.of());
        Map<String, ShardFinding> findings = Optional.ofNullable(seen.cluster().getStatus())
                .map(ShardClusterStatus::shards)
                .orElse(Map.of());
        for (Shard shard : seen.cluster().getSpec().shards()) {
            Optional.ofNullable(findings.get(shard.name()))
                    .map(ShardFinding::systemIdentifier)
                    .ifPresent(identity -> recorded.put(shard.name(), identity));
        }
    }

    /** The sight is of this very shard, and could be read. */
    boolean confirms(ShardSight sight) {
        return sight.primary().isPresent() && fault(sight).isEmpty();
    }

    /** Why this database is not the shard; empty when it is, and when nobody answered who could tell. */
    Optional<ClusterPlan.Decision> fault(ShardSight sight) {
        if (sight.systemIdentifier().isEmpty()) {
            return Optional.empty();
        }
        String before = recorded.get(sight.shard());
        return before == null ? taken(sight).or(() -> foreign(sight)) : changed(sight, before);
    }

    private Optional<ClusterPlan.Decision> changed(ShardSight sight, String before) {
        if (before.equals(sight.systemIdentifier())) {
            return Optional.empty();
        }
        AcceptedIdentity accepted = new AcceptedIdentity(seen, sight);
        return accepted.asked()
                ? taken(sight).or(accepted::refusal).or(() -> foreign(sight))
                : ClusterChecks.refuse(
                        ConditionType.REACHABLE,
                        Reason.IDENTITY_CHANGED,
                        "spec.shards: " + sight.shard() + " was the database system " + before + " and leads to "
                                + sight.systemIdentifier() + " now",
                        "correct the endpoints of " + sight.shard()
                                + "; or, if its server was upgraded or restored and the old one is off: "
                                + accepted.command());
    }

    /** Of two that were never found fit, nobody can tell which one is wrong. */
    private Optional<ClusterPlan.Decision> taken(ShardSight sight) {
        return sights.values().stream()
                .filter(other -> !other.shard().equals(sight.shard()))
                .filter(other -> identity(other).equals(sight.systemIdentifier()))
                .findFirst()
                .flatMap(other -> ClusterChecks.refuse(
                        ConditionType.ACCEPTED,
                        Reason.DUPLICATE_ENDPOINT,
                        "spec.shards: " + other.shard() + " and " + sight.shard() + " lead to the same database system "
                                + sight.systemIdentifier(),
                        "correct the endpoints of "
                                + (recorded.containsKey(other.shard())
                                        ? sight.shard()
                                        : other.shard() + " or " + sight.shard())
                                + ": each shard has its own server"));
    }

    private String identity(ShardSight other) {
        return recorded.getOrDefault(other.shard(), other.systemIdentifier());
    }

    private Optional<ClusterPlan.Decision> foreign(ShardSight sight) {
        return sight.fence().values().stream()
                .filter(row -> row.state() == FenceState.OWNED)
                .sorted(Comparator.comparing(FenceRow::bucket))
                .flatMap(row -> otherOwner(sight.shard(), row).stream()
                        .map(other -> "owns bucket " + row.bucket() + ", which belongs to " + other))
                .findFirst()
                .flatMap(what -> ClusterChecks.refuse(
                        ConditionType.REACHABLE,
                        Reason.IDENTITY_CHANGED,
                        "spec.shards: " + sight.shard() + " leads to the database system " + sight.systemIdentifier()
                                + ", whose fence " + what + ": it is a shard of another name or of another cluster",
                        "correct the endpoints of " + sight.shard()
                                + "; nothing of that database was noted, and it was not touched"));
    }

    /** Whom the row itself names, or else the table, unless the row is newer, or else a shard that is known. */
    private Optional<String> otherOwner(String shard, FenceRow row) {
        Optional<String> byTable = table.filter(
                        published -> row.bucket() < published.epochs().buckets())
                .filter(published -> row.epoch() <= published.epochs().get(row.bucket()))
                .map(published -> published.bucketMap().get(row.bucket()));
        return Optional.ofNullable(row.owner())
                .filter(owner -> !owner.equals(shard))
                .or(() -> byTable.isPresent() || table.isEmpty() ? byTable : knownOwner(row.bucket()))
                .filter(owner -> !owner.equals(shard));
    }

    private Optional<String> knownOwner(int bucket) {
        return sights.values().stream()
                .filter(other -> recorded.containsKey(other.shard()))
                .filter(other -> other.fence().containsKey(bucket)
                        && other.fence().get(bucket).state() == FenceState.OWNED)
                .map(ShardSight::shard)
                .findFirst();
    }
}
