package io.shardwright.controllers.shardpolicy;

import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.HotKey;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.routing.Scope;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the status says of keys that have a shard of their own: what the routing table says, which follows the fences. */
final class HotKeyTexts {
    private HotKeyTexts() {}

    /** The first ones by text; what was said before stays said while there is no table. */
    static List<HotKey> of(PolicyObservation seen, Instant now) {
        List<HotKey> before = Optional.ofNullable(seen.policy().getStatus())
                .map(ShardPolicyStatus::hotKeys)
                .orElse(List.of());
        boolean inForce = seen.inForce()
                .getMetadata()
                .getUid()
                .equals(seen.policy().getMetadata().getUid());
        if (!inForce) {
            return List.of();
        }
        return seen.inputs().map(inputs -> of(inputs, before, now)).orElse(before);
    }

    private static List<HotKey> of(PlanInputs inputs, List<HotKey> before, Instant now) {
        Map<String, HotKey> known = new HashMap<>();
        before.forEach(one -> known.put(one.key(), one));
        return inputs.pinned().entrySet().stream()
                .sorted(Comparator.comparing(entry -> entry.getKey().key().orElseThrow()))
                .limit(ShardPolicyStatus.HOT_KEYS_MAX)
                .map(entry -> new HotKey(
                        entry.getKey().toString(),
                        entry.getValue(),
                        since(entry.getKey(), entry.getValue(), known).orElse(now.toString()),
                        HotKey.PINNED))
                .toList();
    }

    /** Also when somebody has changed since then how keys are shown. */
    private static Optional<String> since(Scope key, String shard, Map<String, HotKey> known) {
        return Optional.ofNullable(known.get(key.key().orElseThrow()))
                .or(() -> Optional.ofNullable(known.get(key.hidden().toString())))
                .filter(one -> one.shard().equals(shard))
                .map(HotKey::since);
    }
}
