package io.shardwright.controllers.shardpolicy;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.controllers.resources.MoveResources;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.Rebalancing;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import io.shardwright.meaning.Clusters;
import io.shardwright.planning.hotkeys.LoadWindow;
import io.shardwright.planning.hotkeys.ProcessReports;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.routing.KeyLoad;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.Latencies;
import io.shardwright.routing.LoadReport;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.ShardLoad;
import io.shardwright.routing.TableOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** An observation of a policy in the making. */
final class Sight {
    static final Instant EIGHT = Instant.parse("2026-03-01T08:00:00Z");
    private static final String EIGHT_BUCKETS = "ds-0*4,ds-1*4";

    private String mode = "Propose";
    private String approved = "";
    private String times = "";
    private String owners = EIGHT_BUCKETS;
    private int shards = 3;
    boolean cluster = true;
    boolean guarded = true;
    boolean suspended;
    String unreachable;
    private ShardPolicyStatus stored;
    String older;
    final List<BucketMove> moves = new ArrayList<>();
    private Optional<PlanInputs> known = Optional.empty();
    private String hotKeys = "{}";
    private final SortedMap<String, String> pinned = new TreeMap<>();
    private String dedicated;
    private final List<ShardLoad> loads = new ArrayList<>();
    private LoadWindow load = LoadWindow.UNKNOWN;
    private Instant now = EIGHT;

    /** Its plan is known, and nobody has approved it. */
    static Sight proposed() {
        return new Sight().after(new Sight().status());
    }

    /** What is proposed for three shards. */
    static Plan thePlan() {
        return new Sight().status().plan();
    }

    /** Approved, made, and being copied. */
    static Sight running() {
        Sight approved = proposed().approved(thePlan().hash());
        return new Sight().approved(thePlan().hash()).after(approved.status()).moves(thePlan(), MovePhase.COPYING);
    }

    Sight mode(String value) {
        mode = value;
        return this;
    }

    Sight approved(String hash) {
        approved = hash;
        return this;
    }

    /** At eight in Greenwich it is five in the afternoon in Seoul. */
    Sight nightlyInSeoul() {
        return times("windows: [{cron: '0 2 * * *', duration: 4h, timeZone: Asia/Seoul}]");
    }

    /** Windows and freezes as in a spec. */
    Sight times(String yaml) {
        times = ", " + yaml;
        return this;
    }

    Sight owners(String map) {
        owners = map;
        return this;
    }

    Sight shards(int count) {
        shards = count;
        return this;
    }

    /** As in a spec; ds-hot and ds-warm are Dedicated shards. */
    Sight hotKeys(String yaml) {
        hotKeys = yaml;
        dedicated = "  - {name: ds-%1$s, role: Dedicated, instances: [{name: a, host: ds-%1$s, port: 5432}]}%n";
        return this;
    }

    /** This process has seen the inputs of that one. */
    Sight knows(Sight other) {
        known = other.seen().inputs();
        return this;
    }

    /** What the routing table says. */
    Sight pinned(String key, String shard) {
        pinned.put(key, shard);
        return this;
    }

    /** One router has reported a whole window, in which a shard was asked so often and certainly so often for the key. */
    Sight asked(String shard, long requests, String key, long times) {
        ShardLoad one = new ShardLoad(
                shard,
                requests,
                List.of(new KeyLoad(key, times, times)),
                new Latencies(Map.of(Latencies.bucketOf(4_000), requests)));
        loads.add(one);
        LoadReport report = new LoadReport(40, 900_000, loads);
        load = LoadWindow.of(
                List.of(new ProcessReports(true, List.of(new ProcessReports.Heard(report, Duration.ofSeconds(5))))),
                Duration.ofMinutes(5));
        return this;
    }

    Sight at(Instant time) {
        now = time;
        return this;
    }

    Sight after(ShardPolicyStatus status) {
        stored = status;
        return this;
    }

    Sight moves(Plan plan, MovePhase phase) {
        return moves(plan, phase.wire());
    }

    Sight moves(Plan plan, String phase) {
        MoveResources.moves("shop", "orders", plan, Rebalancing.defaults()).forEach(move -> {
            move.setStatus(new BucketMoveStatus(
                    1L, phase, null, null, null, null, null, null, null, null, null, null, null, null));
            moves.add(move);
        });
        return this;
    }

    PolicyObservation seen() {
        ShardPolicy policy = policy("orders");
        ShardPolicy inForce = older == null ? policy : policy(older);
        Optional<ShardCluster> found = cluster ? Optional.of(cluster()) : Optional.empty();
        FoundKeys hot = found.map(one -> HotKeyPass.find(policy, one, table(one), moves, load, now))
                .orElse(FoundKeys.NONE);
        Optional<PlanInputs> inputs =
                found.map(one -> Clusters.planInputs(one, table(one), Optional.of(policy.getSpec()), hot.now()));
        return new PolicyObservation(
                policy, inForce, new PolicyHours().at(policy, now), found, inputs, hot, moves, hash -> known);
    }

    private RoutingTable table(ShardCluster of) {
        return new RoutingTable(
                new TableOrder(1, 1, 1),
                1,
                "orders",
                "PostgreSQL",
                KeyType.INT64,
                Clusters.bucketing(of.getSpec()),
                RunLengthMap.parse(owners, 8, owner -> owner),
                RunLengthMap.filled(8, 1L),
                pinned,
                List.of(),
                new TreeMap<>());
    }

    private ShardPolicy policy(String name) {
        ShardPolicy policy =
                Serialization.unmarshal("""
                metadata: {name: %1$s, namespace: shop, generation: 2, uid: uid-%1$s}
                spec: {clusterRef: {name: orders}, rebalancing: {mode: %2$s, approvedPlan: "%3$s"}, hotKeys: %5$s%4$s}
                """.formatted(name, mode, approved, times, hotKeys), ShardPolicy.class);
        policy.setStatus(stored);
        return policy;
    }

    private ShardCluster cluster() {
        StringBuilder list = new StringBuilder();
        for (int i = 0; i < shards; i++) {
            list.append("  - {name: ds-%1$d, instances: [{name: a, host: ds-%1$d, port: 5432}]}%n".formatted(i));
        }
        if (dedicated != null) {
            list.append(dedicated.formatted("hot")).append(dedicated.formatted("warm"));
        }
        String status = guarded ? "True" : "False";
        return Serialization.unmarshal("""
                metadata: {name: orders, namespace: shop, generation: 1}
                spec:
                  engine: PostgreSQL
                  database: shop
                  suspend: %s
                  sharding: {buckets: 8, hash: MD5, keyType: Int64, tables: [{name: orders, shardKey: tenant_id}]}
                  shards:
                %s
                status:
                  observedGeneration: 1
                  shards: %s
                  conditions:
                  - {type: Accepted, status: "True", reason: Accepted, message: "", lastTransitionTime: ""}
                  - {type: FenceInstalled, status: "%s", reason: Installed, message: "", lastTransitionTime: ""}
                """.formatted(suspended, list, unreachable(), status), ShardCluster.class);
    }

    String unreachable() {
        return unreachable == null
                ? "{}"
                : "{%s: {state: Unreachable, buckets: 0, message: it does not answer}}".formatted(unreachable);
    }

    PolicyPlan plan() {
        return PolicyPlanner.plan(seen());
    }

    ShardPolicyStatus status() {
        PolicyObservation seen = seen();
        return PolicyStatusFactory.status(seen.policy(), PolicyPlanner.plan(seen), HotKeyTexts.of(seen, now), now);
    }
}
