package io.shardwright.controllers.shardcluster;

import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Reason;
import io.shardwright.planning.table.Witness;
import io.shardwright.routing.RoutingTable;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.UnaryOperator;

/**
 * What to do with a cluster now, and why.
 *
 * @param table the edit that brings the published table to the truth, when it is behind; independent of the decision,
 *     because routers need the newest truth also while a shard is down
 * @param above who has a newer table than the stored one: the edit is published above it, in a new incarnation
 * @param rescan shards to count again, because what was found may have been corrected meanwhile
 * @param aside what is wrong with shards that nobody needs yet; the decision is made as if they were not there
 */
record ClusterPlan(
        Decision decision,
        Optional<UnaryOperator<RoutingTable>> table,
        Optional<Witness> above,
        Optional<SortedSet<String>> rescan,
        SortedMap<String, Refuse> aside) {
    sealed interface Decision {}

    /** Somebody else must change something first; nothing is installed and no row is touched. */
    record Refuse(ConditionType about, Reason reason, String message, String nextAction) implements Decision {}

    /** Not yet. */
    record Wait(Reason reason, String message) implements Decision {}

    /** Count rows on these shards. */
    record Scan(SortedSet<String> shards, String message) implements Decision {}

    /** Install or upgrade the fence on these shards; nobody's ownership changes. */
    record InstallFence(SortedSet<String> shards, String message) implements Decision {}

    /**
     * One step of the adoption of a live placement.
     *
     * @param step PREPARE, ADOPT, RELEASE or ARM
     * @param buckets by shard, those that the step is about; shards without any are prepared and armed all the same
     */
    record Adopt(ClusterStep step, SortedMap<String, SortedSet<Integer>> buckets) implements Decision {
        String message() {
            return ClusterPlanner.doing(step);
        }
    }

    /** The fence guards every bucket of every shard. */
    record Guarded() implements Decision {}
}
