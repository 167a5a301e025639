package io.shardwright.controllers.shardcluster;

import io.shardwright.crds.Names;
import io.shardwright.crds.Reason;
import io.shardwright.crds.shardcluster.ShardCluster;
import java.util.Optional;

/** What keeps new actions of a cluster from starting, by the word of people. */
public final class ClusterHolds {
    static final String DEPARTURE =
            "this ShardCluster is being deleted: nothing new begins, and it goes when the moves that"
                    + " have begun have ended";

    private ClusterHolds() {}

    /**
     * Nothing new begins.
     *
     * @param nextAction what ends it
     */
    public record Hold(Reason reason, String message, String nextAction) {}

    /** The strongest word against new actions; empty when there is none. */
    public static Optional<Hold> of(ShardCluster cluster) {
        if (cluster.getSpec().suspend()) {
            return Optional.of(new Hold(
                    Reason.SUSPENDED,
                    Reason.SUSPENDED.meaning(),
                    "set spec.suspend of the ShardCluster to false to go on"));
        }
        if (cluster.isMarkedForDeletion()) {
            return Optional.of(
                    new Hold(
                            Reason.MOVING,
                            DEPARTURE,
                            "wait, or end each of these moves: one that is not switched by kubectl delete bucketmove NAME -n "
                                    + cluster.getMetadata().getNamespace()
                                    + ", one that soaks by kubectl patch bucketmove NAME -n "
                                    + cluster.getMetadata().getNamespace()
                                    + " --type=merge -p '{\"spec\":{\"intent\":\"Complete\"}}'; the databases keep fence and data"));
        }
        return maintenance(cluster)
                .map(who -> new Hold(
                        Reason.MAINTENANCE,
                        "held by the annotation " + Names.MAINTENANCE_ANNOTATION + ": " + who,
                        "wait for the end of the maintenance, or remove the annotation " + Names.MAINTENANCE_ANNOTATION
                                + " of the ShardCluster"));
    }

    /** Who has announced maintenance, "who: why". */
    public static Optional<String> maintenance(ShardCluster cluster) {
        return Optional.ofNullable(cluster.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(Names.MAINTENANCE_ANNOTATION));
    }
}
