package io.shardwright.controllers.shardcluster;

import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Reason;
import io.shardwright.planning.table.LostHistory;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Decides what a cluster needs next: pure, one observation in, one plan out. The order is the safety argument: whatever is
 * wrong is told before anything is installed, placement is scanned before a fence is and again under it, ownership is written
 * only where no fence row names an owner, and a table is written only from fence rows.
 */
final class ClusterPlanner {
    private static final Duration COOL_DOWN = Duration.ofSeconds(5);
    private static final Duration RESCAN = Duration.ofSeconds(10);

    private final ClusterObservation seen;

    private ClusterPlanner(ClusterObservation seen) {
        this.seen = seen;
    }

    static ClusterPlan plan(ClusterObservation seen, long nowNanos) {
        SortedMap<String, ClusterPlan.Refuse> aside = IdleShards.unfit(seen);
        return new ClusterPlanner(seen.without(aside.keySet())).plan(nowNanos, aside);
    }

    private ClusterPlan plan(long nowNanos, SortedMap<String, ClusterPlan.Refuse> aside) {
        TableWish wish = TableWish.of(seen);
        ClusterPlan.Decision decision = ClusterChecks.ALL.stream()
                .map(check -> check.apply(seen))
                .flatMap(Optional::stream)
                .findFirst()
                .or(wish::refusal)
                .or(() -> underWay(nowNanos))
                .orElseGet(() -> new FencePlanner(seen).plan());
        return new ClusterPlan(
                heldBack(decision),
                wish.edit(decision),
                seen.lost().map(LostHistory::witness),
                rescan(decision),
                aside);
    }

    /** Work that is being done, or that failed a moment ago. */
    private Optional<ClusterPlan.Decision> underWay(long nowNanos) {
        Optional<ClusterStep> running = seen.errand().running();
        if (running.isPresent()) {
            String again = seen.errand()
                    .failed()
                    .filter(failure -> failure.step() == running.get())
                    .map(failure -> "; last time: " + failure.message())
                    .orElse("");
            return Optional.of(new ClusterPlan.Wait(reason(running.get()), doing(running.get()) + again));
        }
        if (!seen.sight().orElseThrow().fresh()) {
            return Optional.of(new ClusterPlan.Wait(Reason.OBSERVING, "the shards are being looked at again"));
        }
        return seen.errand()
                .failed()
                .filter(failure -> failure.step() != ClusterStep.RELEASE || !failure.misplaced())
                .filter(failure ->
                        nowNanos - failure.endedNanos() < coolDown(failure).toNanos())
                .map(ClusterPlanner::refuse);
    }

    /** An errand that read whole tables to find the same rows again waits ten times as long as it read. */
    private static Duration coolDown(Errands.Failure failure) {
        Duration read = failure.took().multipliedBy(10);
        return failure.misplaced() && read.compareTo(COOL_DOWN) > 0 ? read : COOL_DOWN;
    }

    private static ClusterPlan.Decision refuse(Errands.Failure failure) {
        if (failure.misplaced()) {
            return new ClusterPlan.Refuse(
                    ConditionType.FENCE_INSTALLED,
                    Reason.MISPLACED_KEYS,
                    failure.message(),
                    "bring these rows to the shards that own their buckets or keys; they are looked at again");
        }
        return new ClusterPlan.Refuse(
                ConditionType.FENCE_INSTALLED,
                failure.lasting() ? Reason.PRIVILEGE_MISSING : reason(failure.step()),
                failure.message(),
                failure.lasting() ? Reason.PRIVILEGE_MISSING.meaning() : "wait: it is tried again every few seconds");
    }

    private static Reason reason(ClusterStep step) {
        return step == ClusterStep.SCAN ? Reason.ADOPTING : Reason.INSTALLING;
    }

    /** What people read while the step is being done. */
    static String doing(ClusterStep step) {
        return switch (step) {
            case SCAN -> "rows per bucket are being counted; nothing is written";
            case INSTALL_FENCE -> "the fence is being installed";
            case PREPARE -> "the schema of the fence is being installed; no write is refused yet";
            case ADOPT -> "the placement that was found is being written as ownership";
            case RELEASE -> "buckets without rows are being left to the shard that holds their rows";
            case ARM -> "the fence is being armed: buckets without an owner will be refused";
            case PUBLISH -> "the routing table is being published";
        };
    }

    /** A suspended cluster, one under maintenance and one that goes get no new action; they are looked at and published. */
    private ClusterPlan.Decision heldBack(ClusterPlan.Decision decision) {
        boolean acts = decision instanceof ClusterPlan.Scan
                || decision instanceof ClusterPlan.InstallFence
                || decision instanceof ClusterPlan.Adopt;
        if (!acts) {
            return decision;
        }
        return ClusterHolds.of(seen.cluster())
                .<ClusterPlan.Decision>map(hold -> new ClusterPlan.Wait(hold.reason(), hold.message()))
                .orElse(decision);
    }

    private Optional<SortedSet<String>> rescan(ClusterPlan.Decision decision) {
        boolean byScan = decision instanceof ClusterPlan.Refuse refuse
                && (refuse.reason() == Reason.MISPLACED_KEYS || refuse.reason() == Reason.REFERENCE_TABLES_DIFFER);
        boolean byInstallation =
                seen.errand().failed().filter(Errands.Failure::misplaced).isPresent();
        return byScan && !byInstallation
                ? seen.scan()
                        .filter(scan -> scan.age().compareTo(RESCAN) > 0
                                && scan.age().compareTo(scan.took().multipliedBy(10)) > 0)
                        .map(scan -> new TreeSet<>(scan.placements().keySet()))
                : Optional.empty();
    }
}
