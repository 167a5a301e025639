package io.shardwright.plugin.plan;

import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import io.shardwright.planning.placement.Quantity;
import io.shardwright.plugin.text.Buckets;
import io.shardwright.plugin.text.TextTable;
import io.shardwright.plugin.text.View;
import java.util.List;

/**
 * A plan, and what stands between it and its moves.
 *
 * @param hash of the inputs; what people approve
 * @param inBalance nothing has to move
 * @param plan as the ShardPolicy's status shows it; null when nothing has to move
 * @param reasons why these moves, or why none
 * @param approved the policy in force approves this hash
 * @param notes why the operator would do something else than this plan says, or later
 */
record PlanView(
        String namespace,
        String cluster,
        String hash,
        boolean inBalance,
        int movedBuckets,
        int buckets,
        Plan plan,
        List<String> reasons,
        boolean approved,
        List<String> notes,
        String nextAction)
        implements View {

    @Override
    public String text() {
        StringBuilder text = new StringBuilder("ShardCluster " + namespace + "/" + cluster + ": ");
        if (inBalance) {
            text.append("nothing has to move\n");
        } else {
            text.append(
                    movedBuckets == 0
                            ? movedKeys() + " moved by pins; buckets are planned after that\n"
                            : movedBuckets + " of " + buckets + " buckets move (" + plan.movedShare()
                                    + "; any plan moves at least " + plan.lowerBound() + ")\n");
            text.append("plan " + hash + (approved ? " (approved)" : "") + "\n\n")
                    .append(moves());
            text.append("\nfullest shard over its share: " + plan.imbalanceBefore() + " now, " + plan.imbalanceAfter()
                    + " after\n");
        }
        reasons.forEach(reason -> text.append("why: ").append(reason).append('\n'));
        notes.forEach(note -> text.append("note: ").append(note).append('\n'));
        return text.append(nextAction == null ? "" : nextAction + "\n").toString();
    }

    private String moves() {
        TextTable table = new TextTable("FROM", "TO", movedBuckets == 0 ? "KEYS" : "BUCKETS", "WHICH");
        plan.moves()
                .forEach(move -> table.row(
                        move.from(),
                        move.to(),
                        Integer.toString(move.buckets().size() + move.keys().size()),
                        Buckets.text(move.buckets()) + String.join(",", move.keys())));
        return table.toString();
    }

    private String movedKeys() {
        int keys = plan.moves().stream().mapToInt(move -> move.keys().size()).sum();
        return Quantity.of(keys, "key") + (keys == 1 ? " is" : " are");
    }
}
