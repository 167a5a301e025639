package io.shardwright.meaning;

import io.shardwright.crds.Durations;
import io.shardwright.crds.shardcluster.ShardClusterSpec;
import io.shardwright.crds.shardpolicy.HotKeys;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.planning.hotkeys.HotKey;
import io.shardwright.planning.hotkeys.HotKeyReason;
import io.shardwright.planning.hotkeys.HotKeyState;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The keys that detection has found, as the status of a policy remembers them.
 *
 * @param known with the key itself
 * @param unread shown as hashes that nobody can read now
 */
public record DetectedKeys(List<HotKey> known, List<ShardPolicyStatus.HotKey> unread) {
    public static final DetectedKeys NONE = new DetectedKeys(List.of(), List.of());

    private static final double NANOS_PER_MILLI = 1e6;

    public DetectedKeys {
        known = List.copyOf(known);
        unread = List.copyOf(unread);
    }

    public static DetectedKeys of(Optional<ShardPolicy> policy, KeyNames names) {
        List<HotKey> known = new ArrayList<>();
        List<ShardPolicyStatus.HotKey> unread = new ArrayList<>();
        policy.map(ShardPolicy::getStatus).map(ShardPolicyStatus::hotKeys).orElse(List.of()).stream()
                .filter(ShardPolicyStatus.HotKey::isDetected)
                .forEach(entry -> names.shown(entry.key())
                        .ifPresentOrElse(key -> known.add(read(key, entry)), () -> unread.add(entry)));
        return new DetectedKeys(known, unread);
    }

    /**
     * What detection wants pinned, to shards that take keys; nothing when it is off. A key that the table has no more went home, whatever
     * the status says still.
     *
     * @param pinned keys that have a shard of their own
     */
    SortedMap<Scope, String> wanted(HotKeys hotKeys, ShardClusterSpec cluster, Set<Scope> pinned) {
        SortedMap<Scope, String> wanted = new TreeMap<>();
        if (hotKeys.detects()) {
            known.stream()
                    .filter(HotKey::isWanted)
                    .filter(key -> key.state() == HotKeyState.PROPOSED || pinned.contains(key.key()))
                    .filter(key -> DedicatedShards.fault(key.target().orElseThrow(), cluster)
                            .isEmpty())
                    .forEach(key -> wanted.put(key.key(), key.target().orElseThrow()));
        }
        return wanted;
    }

    /** The keys that move, or go home, because detection wants it; none when it is off, for a person wants that. */
    SortedSet<Scope> held(HotKeys hotKeys) {
        SortedSet<Scope> held = new TreeSet<>();
        if (hotKeys.detects()) {
            known.stream().filter(HotKey::isHeld).forEach(key -> held.add(key.key()));
        }
        return held;
    }

    /** A key in a plan is not readable, so that the plan cannot be made here. */
    public boolean hidesProposals() {
        return unread.stream().anyMatch(entry -> !HotKeyState.CANDIDATE.wire().equals(entry.state()));
    }

    public Map<HotKeyState, Long> byState() {
        return Stream.concat(
                        known.stream().map(HotKey::state),
                        unread.stream().map(entry -> HotKeyState.fromWire(entry.state())))
                .collect(Collectors.groupingBy(state -> state, Collectors.counting()));
    }

    private static HotKey read(Scope key, ShardPolicyStatus.HotKey entry) {
        HotKeyState state = HotKeyState.fromWire(entry.state());
        return new HotKey(
                key,
                state,
                Optional.ofNullable(entry.reason())
                        .flatMap(HotKeyReason::fromWire)
                        .orElse(usual(state)),
                entry.shard(),
                Optional.ofNullable(entry.target())
                        .or(() -> state == HotKeyState.CANDIDATE ? Optional.empty() : Optional.of(entry.shard())),
                Optional.ofNullable(entry.formerShard()),
                Instant.parse(entry.since()),
                entry.share() == null
                        ? OptionalInt.empty()
                        : OptionalInt.of(Integer.parseInt(entry.share().replace("%", ""))),
                Optional.ofNullable(entry.neighbourP95Before()).map(Durations::parse),
                Optional.ofNullable(entry.neighbourP95After()).map(Durations::parse));
    }

    /** Of an entry that another release has written. */
    private static HotKeyReason usual(HotKeyState state) {
        return switch (state) {
            case CANDIDATE -> HotKeyReason.WINDOW_NOT_COVERED;
            case PROPOSED -> HotKeyReason.ABOVE_THRESHOLD;
            case PINNED -> HotKeyReason.SERVED;
            case COOLING_DOWN -> HotKeyReason.BELOW_HALF;
        };
    }

    /** A key in the words of a status, as its scope shows it. */
    public static ShardPolicyStatus.HotKey text(HotKey key) {
        return new ShardPolicyStatus.HotKey(
                key.key().toString(),
                key.shard(),
                key.since().toString(),
                key.state().wire(),
                true,
                key.reason().wire(),
                key.target().orElse(null),
                key.formerShard().orElse(null),
                key.percent().isPresent() ? key.percent().getAsInt() + "%" : null,
                key.before().map(DetectedKeys::milliseconds).orElse(null),
                key.after().map(DetectedKeys::milliseconds).orElse(null));
    }

    private static String milliseconds(Duration time) {
        return String.format(Locale.ROOT, "%.1fms", time.toNanos() / NANOS_PER_MILLI);
    }
}
