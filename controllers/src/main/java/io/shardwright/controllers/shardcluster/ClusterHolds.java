package io.shardwright.controllers.shardcluster;

import io.shardwright.crds.Names;
import io.shardwright.crds.shardcluster.ShardCluster;
import java.util.Optional;

/** What keeps new actions of a cluster from starting, by the word of people. */
public final class ClusterHolds {
    private ClusterHolds() {}

    /** Who has announced maintenance, "who: why". */
    public static Optional<String> maintenance(ShardCluster cluster) {
        return Optional.ofNullable(cluster.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(Names.MAINTENANCE_ANNOTATION));
    }
}
