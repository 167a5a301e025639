package io.shardwright.controllers.shardcluster;

import io.shardwright.controllers.report.Transition;
import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.Reason;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.planning.table.LostHistory;
import io.shardwright.planning.table.Ownership;
import java.util.List;
import java.util.Optional;

/**
 * What is said of a table whose history was lost, and when it may be published anew: once the status says it, so that
 * somebody can read why the incarnation has grown, and only from fence rows that name one owner for every bucket. A reader
 * that is sent back to an owner of before would find an emptied bucket and take it for no rows.
 */
final class LostTables {
    private final LostHistory lost;
    private final Optional<String> doubt;

    private LostTables(LostHistory lost, Optional<String> doubt) {
        this.lost = lost;
        this.doubt = doubt;
    }

    static Optional<LostTables> of(ClusterObservation seen, ClusterPlan plan) {
        return seen.lost().map(lost -> new LostTables(lost, doubt(seen, plan)));
    }

    private static Optional<String> doubt(ClusterObservation seen, ClusterPlan plan) {
        return plan.decision() instanceof ClusterPlan.Refuse refuse && refuse.about() == ConditionType.ACCEPTED
                ? Optional.of(refuse.message())
                : doubt(TableWish.truth(seen.without(plan.aside().keySet())));
    }

    /** Whether the stored status says that the history is lost. */
    static boolean announced(ClusterObservation seen) {
        return Optional.ofNullable(seen.cluster().getStatus())
                .map(ShardClusterStatus::conditions)
                .filter(LostTables::announced)
                .isPresent();
    }

    private static boolean announced(List<Condition> conditions) {
        return Conditions.find(conditions, ConditionType.PROGRESSING)
                .filter(one -> one.reason().equals(Reason.HISTORY_LOST.wire()))
                .isPresent();
    }

    /** Why the fence rows do not make a table. */
    static Optional<String> doubt(Optional<Ownership> truth) {
        return truth.isEmpty()
                ? Optional.of("not every shard could be looked at")
                : truth.get().problem();
    }

    /** The event of a status that says it for the first time. */
    static Optional<Transition> told(List<Condition> before, List<Condition> after) {
        return announced(after) && !announced(before)
                ? Conditions.find(after, ConditionType.PROGRESSING)
                        .map(one -> Transition.warning(one.reason(), one.message()))
                : Optional.empty();
    }

    boolean held() {
        return doubt.isPresent();
    }

    String message() {
        return lost.story()
                + doubt.map(why ->
                                "; it is published anew when every shard answers and each bucket has one owner: " + why)
                        .orElse("; it is published anew from the fence rows, as incarnation "
                                + lost.next().incarnation());
    }

    String nextAction() {
        return doubt.map(why ->
                        "routers keep the table that they have, and moves wait for them, until the fence rows name one"
                                + " owner for every bucket: " + why)
                .orElse("wait until the routing table is published anew, once in ten minutes at most; if this comes"
                        + " again without a restore, delete the pod that is named: it shows tables that never were");
    }
}
