package io.shardwright.plugin.plan;

import io.shardwright.crds.Names;
import io.shardwright.crds.Percent;
import io.shardwright.crds.shardcluster.Shard;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardcluster.ShardClusterSpec;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.plugin.Refusal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The stored objects as they would be with those of a file. What the API server would refuse and a plan depends on is refused
 * here, too: a plan for a spec that never comes into force is no plan. All other rules are the API server's.
 */
final class Changed {
    /** Of a policy that is not stored yet: every stored one is older, and in force. */
    private static final String YOUNGEST = "9999-01-01T00:00:00Z";

    private static final int WEIGHT_MAX = 1000;

    private Changed() {}

    /** @param owners shards that own buckets; @throws Refusal when the cluster would not be accepted */
    static ShardCluster cluster(ShardCluster before, Manifest file, Set<String> owners) {
        Optional<ShardCluster> written = ofFile(before.getMetadata().getName(), file);
        written.ifPresent(cluster -> check(before, cluster, owners));
        return written.map(cluster -> {
                    ShardCluster next = new ShardCluster();
                    next.setMetadata(before.getMetadata());
                    next.setSpec(cluster.getSpec());
                    next.setStatus(before.getStatus());
                    return next;
                })
                .orElse(before);
    }

    private static Optional<ShardCluster> ofFile(String name, Manifest file) {
        List<ShardCluster> named = file.clusters().stream()
                .filter(cluster -> cluster.getMetadata().getName().equals(name))
                .toList();
        if (named.size() > 1) {
            throw new Refusal("-f: the file has ShardCluster " + name + " twice", "leave one of them");
        }
        return named.stream().findFirst();
    }

    private static void check(ShardCluster before, ShardCluster written, Set<String> owners) {
        ShardClusterSpec was = before.getSpec();
        ShardClusterSpec is = written.getSpec();
        if (is.sharding() == null
                || is.sharding().buckets() == null
                || is.sharding().keyType() == null) {
            throw refused(before, "spec.sharding needs buckets, hash and keyType", "write them as they are stored");
        }
        unchanged(
                before,
                "spec.sharding.buckets",
                was.sharding().buckets(),
                is.sharding().buckets());
        unchanged(
                before,
                "spec.sharding.hash",
                was.sharding().hash(),
                is.sharding().hash());
        unchanged(
                before,
                "spec.sharding.keyType",
                was.sharding().keyType(),
                is.sharding().keyType());
        unchanged(before, "spec.engine", was.engine(), is.engine());
        unchanged(before, "spec.database", was.database(), is.database());
        Set<String> names = new HashSet<>();
        is.shards().forEach(shard -> check(before, shard, names));
        if (is.shards().stream().noneMatch(shard -> shard.role() == Shard.Role.GENERAL && shard.weight() > 0)) {
            throw refused(
                    before,
                    "spec.shards: at least one General shard needs a weight above 0",
                    "somebody must own the buckets");
        }
        Set<String> leaving = new TreeSet<>(owners);
        leaving.removeAll(names);
        if (!leaving.isEmpty()) {
            throw refused(
                    before,
                    "spec.shards: a shard that owns buckets cannot leave the list (" + String.join(", ", leaving) + ")",
                    "drain it with weight 0 first");
        }
    }

    private static void check(ShardCluster cluster, Shard shard, Set<String> names) {
        if (shard.name() == null
                || !shard.name().matches(Names.DNS_LABEL)
                || shard.name().length() > Names.SHARD_MAX) {
            throw refused(cluster, "spec.shards: '" + shard.name() + "' is no name of a shard", "write a DNS label");
        }
        if (!names.add(shard.name())) {
            throw refused(cluster, "spec.shards: " + shard.name() + " is there twice", "leave one of them");
        }
        if (shard.weight() < 0 || shard.weight() > WEIGHT_MAX) {
            throw refused(
                    cluster,
                    "spec.shards: the weight of " + shard.name() + " is " + shard.weight(),
                    "write one from 0 to " + WEIGHT_MAX);
        }
    }

    private static void unchanged(ShardCluster cluster, String field, Object before, Object after) {
        if (!before.equals(after)) {
            throw refused(cluster, field + " is immutable", "put back what is stored, or create a new ShardCluster");
        }
    }

    private static Refusal refused(ShardCluster cluster, String what, String nextAction) {
        return new Refusal(
                "ShardCluster " + cluster.getMetadata().getName() + " would be refused: " + what, nextAction);
    }

    /** The policies of the namespace with those of the file; a new one is the youngest. */
    static List<ShardPolicy> policies(Stored stored, Manifest file) {
        List<ShardPolicy> all = new ArrayList<>(stored.policies());
        for (ShardPolicy written : file.policies()) {
            check(written);
            Optional<ShardPolicy> before =
                    all.stream().filter(policy -> isSame(policy, written)).findFirst();
            String created = before.map(policy -> policy.getMetadata().getCreationTimestamp())
                    .orElse(YOUNGEST);
            written.setStatus(before.map(ShardPolicy::getStatus).orElse(null)); // it remembers detected keys
            all.removeIf(policy -> isSame(policy, written));
            written.getMetadata().setCreationTimestamp(created);
            all.add(written);
        }
        return all;
    }

    private static boolean isSame(ShardPolicy one, ShardPolicy other) {
        return one.getMetadata().getName().equals(other.getMetadata().getName());
    }

    private static void check(ShardPolicy policy) {
        String name = "ShardPolicy " + policy.getMetadata().getName();
        if (policy.getSpec().clusterRef() == null
                || policy.getSpec().clusterRef().name() == null) {
            throw new Refusal(name + " would be refused: spec.clusterRef.name is missing", "name the ShardCluster");
        }
        String tolerance = policy.getSpec().rebalancing().tolerance();
        if (!tolerance.matches(Percent.PATTERN)) {
            throw new Refusal(
                    name + " would be refused: spec.rebalancing.tolerance is '" + tolerance + "'", "write it like 10%");
        }
    }
}
