package io.shardwright.meaning;

import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicySpec;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Which policy of a cluster is in force: the oldest, then the first by name; it stays so until it is deleted. */
public final class Policies {
    private static final Comparator<ShardPolicy> ORDER = Comparator.comparing(
                    (ShardPolicy policy) -> policy.getMetadata().getCreationTimestamp())
            .thenComparing(policy -> policy.getMetadata().getName());

    private Policies() {}

    public static Optional<ShardPolicy> inForce(Collection<ShardPolicy> policies, String cluster) {
        return policies.stream()
                .filter(policy -> policy.getSpec().clusterRef().name().equals(cluster))
                .min(ORDER);
    }

    /** What holds: for a cluster without a policy that is the defaults. */
    public static ShardPolicySpec specOf(Optional<ShardPolicy> policy) {
        return policy.map(ShardPolicy::getSpec).orElseGet(() -> ShardPolicySpec.defaults(null));
    }

    /** Whether somebody has declared it; false: defaults that hold without a policy. */
    public static boolean isOne(ShardPolicySpec spec) {
        return spec.clusterRef() != null;
    }
}
