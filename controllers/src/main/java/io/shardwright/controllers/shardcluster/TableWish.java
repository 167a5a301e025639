package io.shardwright.controllers.shardcluster;

import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Reason;
import io.shardwright.crds.shardcluster.Shard;
import io.shardwright.crds.shardcluster.ShardClusterSpec;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.meaning.Clusters;
import io.shardwright.planning.table.FirstTable;
import io.shardwright.planning.table.LostHistory;
import io.shardwright.planning.table.Ownership;
import io.shardwright.planning.table.TableEdits;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.Handover;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RoutingTableCodec;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardEntry;
import io.shardwright.routing.ShardRole;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * How the routing table should look by the fence rows. A row with a higher epoch than the table wins; buckets of moves at
 * work are left to these moves; a handover that no move stands behind any more is folded to the bucket's owner.
 */
final class TableWish {
    /** A larger object comes close to what the API server refuses; one that is there already is not grown. */
    private static final int MAX_BYTES = 900 * 1024;

    private final ClusterObservation seen;
    private final SortedMap<String, ShardEntry> primaries;
    private final Optional<Ownership> truth;
    private final Set<Scope> moving;

    private TableWish(
            ClusterObservation seen,
            SortedMap<String, ShardEntry> primaries,
            Optional<Ownership> truth,
            Set<Scope> moving) {
        this.seen = seen;
        this.primaries = primaries;
        this.truth = truth;
        this.moving = moving;
    }

    static TableWish of(ClusterObservation seen) {
        ShardIdentities identities = new ShardIdentities(seen);
        return new TableWish(seen, primaries(seen, identities), truth(seen, identities), seen.movingScopes());
    }

    /** Primaries as they answered; of a shard that does not answer, or not as itself, what the table knows. */
    private static SortedMap<String, ShardEntry> primaries(ClusterObservation seen, ShardIdentities identities) {
        SortedMap<String, ShardEntry> primaries = new TreeMap<>();
        for (Shard shard : seen.cluster().getSpec().shards()) {
            Optional<ShardEntry> known =
                    seen.table().map(table -> table.shards().get(shard.name()));
            sightOf(seen, shard.name())
                    .filter(sight -> sight.fenceVersion() > 0)
                    .filter(identities::confirms)
                    .flatMap(ShardSight::primary)
                    .map(primary ->
                            new ShardEntry(ShardRole.fromWire(shard.role().wire()), primary.host(), primary.port()))
                    .or(() -> known)
                    .ifPresent(entry -> primaries.put(shard.name(), entry));
        }
        return primaries;
    }

    private static Optional<ShardSight> sightOf(ClusterObservation seen, String shard) {
        return seen.sight().map(sight -> sight.shards().get(shard));
    }

    /** Who owns what by the fence rows; empty unless every shard could be read, and was read where it is. */
    static Optional<Ownership> truth(ClusterObservation seen) {
        return truth(seen, new ShardIdentities(seen));
    }

    private static Optional<Ownership> truth(ClusterObservation seen, ShardIdentities identities) {
        return seen.sight()
                .filter(sight -> sight.shards().values().stream()
                        .allMatch(shard -> ClusterChecks.problem(shard).isEmpty()
                                && identities.fault(shard).isEmpty()))
                .map(sight -> {
                    SortedMap<String, Map<Integer, FenceRow>> fences = new TreeMap<>();
                    SortedMap<String, Map<Scope, FenceRow>> keys = new TreeMap<>();
                    sight.shards().forEach((name, shard) -> {
                        fences.put(name, shard.fence());
                        keys.put(name, shard.keys());
                    });
                    return Ownership.of(seen.cluster().getSpec().sharding().buckets(), fences, keys);
                });
    }

    /** A table that would come close to what an object may hold. */
    Optional<ClusterPlan.Decision> refusal() {
        return wanted(seen.table().orElse(null))
                .filter(table -> RoutingTableCodec.encode(table).getBytes(StandardCharsets.UTF_8).length > MAX_BYTES)
                .flatMap(table -> ClusterChecks.refuse(
                        ConditionType.ACCEPTED,
                        Reason.TABLE_TOO_LARGE,
                        "the routing table would exceed " + MAX_BYTES / 1024 + " KiB",
                        Reason.TABLE_TOO_LARGE.meaning()));
    }

    /** The edit, when the published table is behind; a first table only when the fence guards everything. */
    Optional<UnaryOperator<RoutingTable>> edit(ClusterPlan.Decision decision) {
        boolean refused = decision instanceof ClusterPlan.Refuse refuse && refuse.about() == ConditionType.ACCEPTED;
        if (seen.lost().isPresent()) {
            boolean fresh = seen.sight().filter(ClusterSight::fresh).isPresent();
            return !refused
                            && fresh
                            && LostTables.announced(seen)
                            && LostTables.doubt(truth).isEmpty()
                    ? Optional.of(this::anew)
                    : Optional.empty();
        }
        boolean first = seen.table().isEmpty();
        if (refused || first && !(decision instanceof ClusterPlan.Guarded)) {
            return Optional.empty();
        }
        RoutingTable table = seen.table().orElse(null);
        return wanted(table)
                .filter(wanted -> !wanted.equals(table))
                .map(wanted -> stored -> wanted(stored).orElse(stored));
    }

    private Optional<RoutingTable> wanted(RoutingTable table) {
        if (table != null) {
            return Optional.of(brought(table, moving, knowsPins(table)));
        }
        return truth.filter(Ownership::complete)
                .filter(owners ->
                        owners.owners().values().stream().allMatch(owner -> primaries.containsKey(owner.shard())))
                .map(this::first);
    }

    private RoutingTable first(Ownership owners) {
        ShardClusterSpec spec = seen.cluster().getSpec();
        return new FirstTable(
                        seen.cluster().getMetadata().getName(),
                        spec.engine().wire(),
                        Clusters.keyType(spec),
                        Clusters.bucketing(spec),
                        incarnation(),
                        1,
                        primaries)
                .from(owners);
    }

    /** Above every incarnation that anybody still has, and above the one that this cluster had when its table was lost. */
    private long incarnation() {
        boolean hadTable = Optional.ofNullable(seen.cluster().getStatus())
                .map(ShardClusterStatus::routing)
                .isPresent();
        return LostHistory.first(seen.witnesses(), hadTable);
    }

    /**
     * All that the fence rows say, buckets of moves included: routers have a newer table than the stored one and go back to
     * it, so it must not name an owner of before. Handovers stay that moves still stand behind.
     */
    private RoutingTable anew(RoutingTable stored) {
        if (stored == null) {
            throw new IllegalStateException("the routing table is gone; it is made again from the fences first");
        }
        return brought(stored, Set.of(), true);
    }

    /**
     * @param leftOut scopes whose owners are not touched
     * @param withPins pins are brought to the rows of keys, too
     */
    private RoutingTable brought(RoutingTable table, Set<Scope> leftOut, boolean withPins) {
        RoutingTable edited = TableEdits.reconcileShards(table, primaries);
        if (truth.isEmpty()) {
            return edited;
        }
        edited = TableEdits.reconcileOwners(edited, truth.get(), buckets(leftOut));
        if (withPins) {
            edited = TableEdits.reconcilePins(edited, truth.get(), leftOut);
        }
        for (Handover handover : edited.handovers()) {
            edited = withoutMove(edited, handover, truth.get());
        }
        return edited;
    }

    /**
     * A key has no epoch in the table that would tell old news. The shards were looked at before this pass, so what they showed is
     * believed against the pins of that time only; when a move has written others since, the next look decides.
     */
    private boolean knowsPins(RoutingTable stored) {
        return seen.table().filter(known -> known.pins().equals(stored.pins())).isPresent();
    }

    private static Set<Integer> buckets(Set<Scope> scopes) {
        return Scope.bucketsOf(scopes.stream().filter(scope -> !scope.isKey()).toList());
    }

    private RoutingTable withoutMove(RoutingTable table, Handover handover, Ownership owners) {
        RoutingTable edited = table;
        for (Scope scope : handover.scopes().keySet()) {
            Ownership.Owner owner = owner(scope, owners);
            if (owner != null && !moving.contains(scope) && edited.shards().containsKey(owner.shard())) {
                edited = TableEdits.fold(edited, new TreeMap<>(Map.of(scope, owner.epoch())), owner.shard());
            }
        }
        return edited;
    }

    /** Null while nobody can tell. */
    private static Ownership.Owner owner(Scope scope, Ownership owners) {
        return owners.hasRows(scope)
                ? owners.keys().get(scope)
                : owners.owners().get(scope.bucket());
    }
}
