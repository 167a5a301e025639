package io.shardwright.controllers.shardpolicy;

import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.HotKey;
import io.shardwright.meaning.DetectedKeys;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.routing.Scope;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the status says of keys: those that detection has found, and others that have a shard of their own by the routing table, which
 * follows the fences.
 */
final class HotKeyTexts {
    private HotKeyTexts() {}

    /** The first ones by text, detected ones before others; what was said before stays said while there is no table. */
    static List<HotKey> of(PolicyObservation seen, Instant now) {
        List<HotKey> before = Optional.ofNullable(seen.policy().getStatus())
                .map(ShardPolicyStatus::hotKeys)
                .orElse(List.of());
        if (!seen.isInForce()) {
            return List.of();
        }
        return seen.inputs()
                .map(inputs -> of(inputs, seen.detected(), before, now))
                .orElse(before);
    }

    private static List<HotKey> of(PlanInputs inputs, DetectedKeys detected, List<HotKey> before, Instant now) {
        Map<String, HotKey> known = new HashMap<>();
        before.forEach(one -> known.put(one.key(), one));
        Set<Scope> told = new HashSet<>();
        detected.known().forEach(one -> told.add(one.key()));
        Stream<HotKey> found = Stream.concat(
                detected.known().stream()
                        .sorted(Comparator.comparing(one -> one.key().key().orElseThrow()))
                        .map(DetectedKeys::text),
                detected.unread().stream());
        Stream<HotKey> pinned = inputs.pinned().entrySet().stream()
                .filter(entry -> !told.contains(entry.getKey()))
                .sorted(Comparator.comparing(entry -> entry.getKey().key().orElseThrow()))
                .map(entry -> new HotKey(
                        entry.getKey().toString(),
                        entry.getValue(),
                        since(entry.getKey(), entry.getValue(), known).orElse(now.toString()),
                        HotKey.PINNED));
        return Stream.concat(found, pinned)
                .limit(ShardPolicyStatus.HOT_KEYS_MAX)
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
