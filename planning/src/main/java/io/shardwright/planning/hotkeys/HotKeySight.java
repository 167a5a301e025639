package io.shardwright.planning.hotkeys;

import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardRole;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Everything that decisions about hot keys look at.
 *
 * @param load what routers reported over the window
 * @param scopeOf the key of a text; empty for what is no key of the cluster
 * @param before what the status remembers
 * @param pins of the spec
 * @param pinned keys that have a shard of their own, by the routing table
 * @param planUnderWay a plan is approved and not made yet, or its moves run; new wishes would void it
 */
public record HotKeySight(
        DetectionSettings settings,
        LoadWindow load,
        Function<String, Optional<Scope>> scopeOf,
        List<HotKey> before,
        SortedMap<Scope, String> pins,
        SortedMap<Scope, String> pinned,
        RunLengthMap<String> owners,
        SortedMap<String, PlanInputs.Shard> shards,
        boolean planUnderWay,
        Instant now) {
    public HotKeySight {
        before = List.copyOf(before);
        pins = Collections.unmodifiableSortedMap(new TreeMap<>(pins));
        pinned = Collections.unmodifiableSortedMap(new TreeMap<>(pinned));
        shards = Collections.unmodifiableSortedMap(new TreeMap<>(shards));
    }

    /** The shard that has its bucket. */
    String home(Scope key) {
        return owners.get(key.bucket());
    }

    /** A Dedicated shard that is not being drained. */
    boolean takesKeys(String shard) {
        return Optional.ofNullable(shards.get(shard))
                .filter(one -> one.role() == ShardRole.DEDICATED && one.weight() > 0)
                .isPresent();
    }

    /** The target with the fewest pins, and of several the first by name. */
    Optional<String> target(Map<String, Integer> pinsOf) {
        return settings.targets().stream()
                .filter(this::takesKeys)
                .min(Comparator.comparing((String name) -> pinsOf.getOrDefault(name, 0))
                        .thenComparing(Comparator.naturalOrder()));
    }
}
