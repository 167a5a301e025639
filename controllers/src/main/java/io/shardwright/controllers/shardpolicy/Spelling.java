package io.shardwright.controllers.shardpolicy;

import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.PlannedMove;
import io.shardwright.routing.Scope;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The keys behind the texts of a status. A status may show a key as its SHA-256 only, and the moves that are made from a plan need
 * the key itself; every key of a plan is pinned, or has a shard of its own, or is in a move that was made.
 */
final class Spelling {
    private final Map<String, String> keys = new HashMap<>();

    private Spelling() {}

    static Spelling of(PolicyObservation seen) {
        Spelling spelling = new Spelling();
        seen.inputs().ifPresent(inputs -> {
            inputs.pins().keySet().forEach(spelling::add);
            inputs.pinned().keySet().forEach(spelling::add);
        });
        seen.moves().forEach(move -> move.getSpec().keys().forEach(key -> spelling.add(Scope.key(key, 0))));
        return spelling;
    }

    /** As it is and as its hash: somebody may have changed hashKeys since the status was written. */
    private void add(Scope key) {
        String text = key.key().orElseThrow();
        keys.put(key.hidden().toString(), text);
        keys.put(text, text);
    }

    /** @throws IllegalStateException when nobody knows a key of the plan any more */
    Plan spelt(Plan plan) {
        List<PlannedMove> moves = plan.moves().stream()
                .map(move -> new PlannedMove(
                        move.from(),
                        move.to(),
                        move.buckets(),
                        move.keys().stream().map(this::spelt).toList()))
                .toList();
        return new Plan(
                plan.hash(),
                plan.createdAt(),
                moves,
                plan.movedShare(),
                plan.lowerBound(),
                plan.imbalanceBefore(),
                plan.imbalanceAfter(),
                plan.reasons());
    }

    private String spelt(String shown) {
        String key = keys.get(shown);
        if (key == null) {
            throw new IllegalStateException("the plan moves key " + shown + ", which is in no pin any more");
        }
        return key;
    }
}
