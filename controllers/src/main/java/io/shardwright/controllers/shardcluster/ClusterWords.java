package io.shardwright.controllers.shardcluster;

import io.shardwright.controllers.report.StatusText;
import io.shardwright.crds.Blocker;
import io.shardwright.crds.Names;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.meaning.Pins;
import io.shardwright.planning.acks.AckCount;
import io.shardwright.planning.leftovers.Finding;
import io.shardwright.planning.placement.Quantity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Who is waited for, and what somebody should do next, in the order of what is most in the way. */
final class ClusterWords {
    /** Kind of a blocker that is a router. */
    static final String ROUTER = "Router";

    private static final int NAMED_MOVES = 10;

    private final ClusterObservation seen;
    private final ClusterPlan plan;

    ClusterWords(ClusterObservation seen, ClusterPlan plan) {
        this.seen = seen;
        this.plan = plan;
    }

    static String names(List<ClusterObservation.ActiveMove> moves) {
        return StatusText.first(
                NAMED_MOVES,
                moves.stream().map(ClusterObservation.ActiveMove::name).toList());
    }

    /** Without their phases: a cluster is not written anew whenever one of its moves goes on. */
    String moving() {
        int count = seen.unfinished().size();
        return Quantity.of(count, "move") + (count == 1 ? " is" : " are") + " not finished: "
                + names(seen.unfinished());
    }

    /** What is wrong with shards that nobody needs yet; empty when nothing is. */
    Optional<String> aside() {
        return plan.aside().isEmpty()
                ? Optional.empty()
                : Optional.of(plan.aside().values().stream()
                                .map(ClusterPlan.Refuse::message)
                                .collect(Collectors.joining("; "))
                        + "; this holds no other shard");
    }

    /** Of shards with weight 0 that own nothing any more: whose rows moves have not finished with. */
    Optional<String> leaving() {
        return seen.cluster().getSpec().shards().stream()
                .filter(shard -> shard.weight() == 0)
                .filter(shard -> !ShardFindings.keeping(seen, shard.name()).isEmpty())
                .map(shard -> shard.name() + " must stay in the list until these moves have ended: "
                        + names(ShardFindings.keeping(seen, shard.name())))
                .reduce((one, other) -> one + "; " + other);
    }

    List<Blocker> blockedBy(ShardClusterStatus stored, Instant now) {
        List<Blocker> blockers = new ArrayList<>();
        ClusterHolds.maintenance(seen.cluster())
                .ifPresent(who -> blockers.add(new Blocker("Maintenance", Names.MAINTENANCE_ANNOTATION, null, who)));
        seen.overdue().stream()
                .limit(Blocker.MAX - (long) blockers.size())
                .map(holder -> new Blocker(ROUTER, holder.name(), since(stored, holder.name(), now), holder.reason()))
                .forEach(blockers::add);
        return blockers;
    }

    private static String since(ShardClusterStatus stored, String router, Instant now) {
        return stored.blockedBy().stream()
                .filter(before -> before.kind().equals(ROUTER) && before.name().equals(router))
                .findFirst()
                .map(Blocker::since)
                .orElseGet(now::toString);
    }

    /** @param unbalanced there is a plan that would move buckets or keys */
    Optional<String> nextAction(boolean unbalanced) {
        if (plan.decision() instanceof ClusterPlan.Refuse refuse) {
            return Optional.of(refuse.nextAction());
        }
        Optional<LostTables> lost = LostTables.of(seen, plan);
        if (lost.isPresent()) {
            return lost.map(LostTables::nextAction);
        }
        Optional<ClusterHolds.Hold> hold = ClusterHolds.of(seen.cluster());
        if (hold.isPresent()) {
            return hold.map(ClusterHolds.Hold::nextAction);
        }
        if (seen.mirrorFault().isPresent()) {
            return Optional.of(
                    "let the operator write the ConfigMap (its Role; a ConfigMap that is immutable must be deleted);"
                            + " routers that mount it read an older table until then");
        }
        if (!plan.aside().isEmpty()) {
            return Optional.of(plan.aside().firstKey() + ": "
                    + plan.aside().values().iterator().next().nextAction());
        }
        if (!seen.overdue().isEmpty()) {
            return Optional.of("look at the routers in blockedBy: they have not acknowledged the newest table for "
                    + AckCount.SILENT_AFTER.toSeconds() + " s, and hold every move that needs their acknowledgement");
        }
        if (!seen.leftovers().isEmpty()) {
            return Optional.of(leftovers());
        }
        if (!unbalanced && pinFault().isPresent()) {
            return pinFault();
        }
        return unbalanced && seen.unfinished().isEmpty()
                ? Optional.of("look at the plan: kubectl get shardpolicies -n "
                        + seen.cluster().getMetadata().getNamespace() + " -o yaml")
                : Optional.empty();
    }

    /** The pin that cannot be obeyed, with what to do. */
    Optional<String> pinFault() {
        return seen.policy()
                .flatMap(policy -> Pins.of(
                                policy.getSpec().hotKeys(), seen.cluster().getSpec())
                        .fault())
                .map(fault -> "ShardPolicy " + fault);
    }

    private String leftovers() {
        Finding first = seen.leftovers().getFirst();
        int more = seen.leftovers().size() - 1;
        return first.seen() + (more > 0 ? " (and " + more + " more like it, see the events)" : "") + ": "
                + first.nextAction();
    }
}
