package io.shardwright.controllers.shardcluster;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.crds.Names;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.dataplane.Placement;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.leftovers.Finding;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.table.LostHistory;
import io.shardwright.planning.table.Witness;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import io.shardwright.routing.TableOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** An observation of a cluster in the making, for tests. */
final class Sight {
    static final Instant EIGHT = Instant.parse("2026-03-01T08:00:00Z");
    private static final String SPEC = """
            metadata: {name: orders, namespace: shop, generation: 3, uid: 00000000-0000-0000-0000-000000000007}
            spec:
              engine: PostgreSQL
              database: shop
              suspend: %s
              sharding: {buckets: 4, hash: MD5, keyType: Int64, tables: [{name: orders, shardKey: tenant_id}]}
              access: {operator: {secretRef: {name: op}}, tls: {mode: Disable}}
              routers: [{role: Web, podSelector: {matchLabels: {app: web}}}]
              shards:
            %s
            """;

    private static final Set<Problem.Kind> ANSWERED = EnumSet.of(Problem.Kind.FENCE_DAMAGED, Problem.Kind.FENCE_NEWER);

    private final List<String> shards = new ArrayList<>();
    private final SortedMap<String, ShardSight> sights = new TreeMap<>();
    private final SortedMap<String, SortedMap<Scope, FenceRow>> keys = new TreeMap<>();
    private final SortedMap<String, Placement> placements = new TreeMap<>();
    private final List<ClusterObservation.ActiveMove> moves = new ArrayList<>();
    private Optional<String> unreadable = Optional.empty();
    Errands.State errand = Errands.State.IDLE;
    private Optional<RoutingTable> table = Optional.empty();
    private ShardClusterStatus stored;
    private String accepted;
    private boolean suspended;
    private boolean deleted;
    private List<AckGate.Holder> overdue = List.of();
    private final List<Witness> witnesses = new ArrayList<>();
    private Optional<String> mirrorFault = Optional.empty();
    private List<Finding> leftovers = List.of();
    private Optional<ShardPolicy> policy = Optional.empty();
    private boolean looked = true;
    private boolean unarmed;
    private boolean guarded;
    private Duration age = Duration.ofSeconds(1);

    Sight shard(String name, String host, int weight) {
        shards.add("  - {name: %s, weight: %d, instances: [{name: a, host: %s, port: 5432}]}"
                .formatted(name, weight, host));
        return this;
    }

    /** As in a spec. */
    Sight hotKeys(String yaml) {
        policy = Optional.of(Serialization.unmarshal(
                "metadata: {name: orders}\nspec: {clusterRef: {name: orders}, hotKeys: " + yaml + "}",
                ShardPolicy.class));
        return this;
    }

    Sight dedicated(String name, int weight) {
        shards.add("  - {name: %1$s, role: Dedicated, weight: %2$d, instances: [{name: a, host: %1$s, port: 5432}]}"
                .formatted(name, weight));
        return this;
    }

    Sight movingKey(Scope key, String from, String to, MovePhase phase) {
        moves.add(new ClusterObservation.ActiveMove("key-1", from, to, Set.of(key), phase));
        return this;
    }

    /** A fence row of a key; told before what the shard shows. */
    Sight key(String shard, Scope key, FenceState state, long epoch) {
        keys.computeIfAbsent(shard, any -> new TreeMap<>()).put(key, new FenceRow(key, state, epoch, null, null));
        return this;
    }

    Sight declared(String name) {
        return shard(name, name, 100);
    }

    Sight sees(String name, int fenceVersion, Integer... owned) {
        SortedMap<Integer, FenceRow> fence = new TreeMap<>();
        Stream.of(owned).forEach(bucket -> fence.put(bucket, row(bucket, FenceState.OWNED, 1, name)));
        return sees(name, fenceVersion, fence, List.of());
    }

    Sight sees(String name, int fenceVersion, Map<Integer, FenceRow> fence, List<Problem> problems) {
        boolean answers = problems.stream().allMatch(one -> ANSWERED.contains(one.kind()));
        sights.put(
                name,
                new ShardSight(
                        name,
                        answers ? Optional.of(new ShardAccess.Endpoint("a", name, 5432)) : Optional.empty(),
                        answers ? "17.2" : "",
                        answers ? "system-" + name : "",
                        1,
                        fenceVersion,
                        fence,
                        fenceVersion > 0 && !unarmed,
                        Set.of(),
                        "schema-" + fenceVersion,
                        problems,
                        keys.getOrDefault(name, new TreeMap<>())));
        return this;
    }

    /** A database of another name or cluster answers under this name. */
    Sight leads(String name, String system, Map<Integer, FenceRow> fence) {
        sees(name, 1, fence, List.of());
        ShardSight seen = sights.get(name);
        sights.put(
                name,
                new ShardSight(
                        name,
                        Optional.of(new ShardAccess.Endpoint("a", "host-of-" + system, 5432)),
                        seen.serverVersion(),
                        system,
                        1,
                        1,
                        fence,
                        true,
                        Set.of(),
                        seen.schemaHash(),
                        List.of(),
                        keys.getOrDefault(name, new TreeMap<>())));
        return this;
    }

    Sight broken(String name, Problem.Kind kind, String message) {
        return sees(name, 0, Map.of(), List.of(new Problem(kind, message)));
    }

    /** A newer operator has been there, so nothing but that was read. */
    Sight newer(String name) {
        return sees(name, 2, Map.of(), List.of(new Problem(Problem.Kind.FENCE_NEWER, "the fence has version 2")));
    }

    Sight rows(String shard, Map<Integer, Long> rows, Map<Integer, Long> byModulo) {
        Map<Integer, List<String>> examples = new TreeMap<>();
        rows.keySet().forEach(bucket -> examples.put(bucket, List.of("k" + bucket)));
        placements.put(shard, new Placement(shard, rows, examples, byModulo, Map.of(), guarded));
        return this;
    }

    /** Shards seen from here on have a fence that is not armed. */
    Sight unarmed() {
        unarmed = true;
        return this;
    }

    /** Rows from here on were counted with every trigger in place. */
    Sight guardedScan() {
        guarded = true;
        return this;
    }

    Sight scanned(Duration ago) {
        age = ago;
        return this;
    }

    Sight notLookedAt() {
        looked = false;
        return this;
    }

    Sight unreadable(String message) {
        unreadable = Optional.of(message);
        return this;
    }

    Sight suspended() {
        suspended = true;
        return this;
    }

    Sight deleted() {
        deleted = true;
        return this;
    }

    Sight waitsFor(AckGate.Holder... routers) {
        overdue = List.of(routers);
        return this;
    }

    Sight failed(ClusterStep step, String message, boolean lasting) {
        errand = new Errands.State(
                Optional.empty(), Optional.of(new Errands.Failure(step, message, lasting, false, Duration.ZERO, 0)));
        return this;
    }

    Sight table(RoutingTable published) {
        table = Optional.of(published);
        return this;
    }

    Sight moving(int bucket) {
        return moving(bucket, MovePhase.SWITCHING);
    }

    Sight moving(int bucket, MovePhase phase) {
        return moving(bucket, "ds-1", phase);
    }

    Sight moving(int bucket, String to, MovePhase phase) {
        return moving("orders-1", "ds-0", to, bucket, phase);
    }

    Sight moving(String name, String from, String to, int bucket, MovePhase phase) {
        moves.add(new ClusterObservation.ActiveMove(name, from, to, Scope.buckets(bucket), phase));
        return this;
    }

    Sight left(Finding... findings) {
        leftovers = List.of(findings);
        return this;
    }

    /** A person says that this database system has the data of a shard. */
    Sight accepting(String system) {
        accepted = system;
        return this;
    }

    Sight mirrorFails() {
        mirrorFault = Optional.of("ConfigMap orders-routing is behind the routing table");
        return this;
    }

    /** A router has a table of this order. */
    Sight witness(String router, long incarnation, long revision) {
        witnesses.add(new Witness(router, new TableOrder(incarnation, revision, revision), false));
        return this;
    }

    Sight after(ShardClusterStatus status) {
        stored = status;
        return this;
    }

    ClusterObservation seen() {
        ShardCluster cluster =
                Serialization.unmarshal(SPEC.formatted(suspended, String.join("\n", shards)), ShardCluster.class);
        cluster.setStatus(stored);
        if (accepted != null) {
            cluster.getMetadata().setAnnotations(Map.of(Names.ACCEPT_IDENTITY_ANNOTATION, accepted));
        }
        if (deleted) {
            cluster.getMetadata().setDeletionTimestamp(EIGHT.toString());
        }
        ClusterTarget target = new ClusterTarget(List.of(), null);
        return new ClusterObservation(
                cluster,
                new ClusterObservation.Access(List.of(), unreadable),
                looked ? Optional.of(new ClusterSight(target, sights, true)) : Optional.empty(),
                errand,
                placements.isEmpty()
                        ? Optional.empty()
                        : Optional.of(new Scans.Scan(placements, Duration.ofSeconds(1), age)),
                table,
                moves,
                Optional.empty(),
                overdue,
                witnesses,
                table.flatMap(stored -> LostHistory.of(witnesses, stored.order())),
                policy,
                1,
                mirrorFault,
                leftovers);
    }

    ClusterPlan plan() {
        return ClusterPlanner.plan(seen(), 1);
    }

    ShardClusterStatus status() {
        ClusterObservation seen = seen();
        return ClusterStatusFactory.status(seen, ClusterPlanner.plan(seen, 1), Published.of(seen.table()), EIGHT);
    }

    static FenceRow row(int bucket, FenceState state, long epoch, String owner) {
        return new FenceRow(bucket, state, epoch, owner, null);
    }

    static Sight two() {
        return new Sight().declared("ds-0").declared("ds-1");
    }

    static Sight guarded() {
        return two().sees("ds-0", 1, 0, 1).sees("ds-1", 1, 2, 3);
    }

    static RoutingTable published() {
        return guarded().plan().table().orElseThrow().apply(null);
    }
}
