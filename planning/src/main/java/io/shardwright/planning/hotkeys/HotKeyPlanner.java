package io.shardwright.planning.hotkeys;

import io.shardwright.routing.Scope;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Decides what is to be done about hot keys. The same input gives the same answer, and an answer that is given back as what the
 * status remembers gives itself.
 */
public final class HotKeyPlanner {
    /** Of candidates; people read them, and a status is finite. */
    static final int MOST_CANDIDATES = 100;

    private final HotKeySight seen;
    private final HotKeyShares shares;
    private final SortedMap<Scope, HotKey> held = new TreeMap<>();
    private final SortedMap<Scope, HotKey> candidates = new TreeMap<>();

    private HotKeyPlanner(HotKeySight seen) {
        this.seen = seen;
        this.shares = new HotKeyShares(seen);
    }

    /** By key; what is not among them is forgotten. */
    public static List<HotKey> next(HotKeySight seen) {
        return seen.settings().on() ? new HotKeyPlanner(seen).next() : off(seen);
    }

    /** What has a shard of its own is remembered until it is home: detection may be turned on again before that. */
    private static List<HotKey> off(HotKeySight seen) {
        return seen.before().stream()
                .filter(HotKey::isHeld)
                .filter(key ->
                        seen.pinned().containsKey(key.key()) && !seen.pins().containsKey(key.key()))
                .map(key -> key.with(
                        key.state() == HotKeyState.PROPOSED ? HotKeyState.PINNED : key.state(),
                        HotKeyReason.DETECTION_OFF,
                        seen.now()))
                .sorted(Comparator.comparing(HotKey::key))
                .toList();
    }

    private List<HotKey> next() {
        remember();
        discover();
        List<HotKey> stay = new ArrayList<>();
        candidates.values().stream()
                .sorted(Comparator.comparing((HotKey key) -> -shares.atLeast(key.key()))
                        .thenComparing(HotKey::key))
                .forEach(key -> judged(key).ifPresent(next -> {
                    if (next.isHeld()) {
                        held.put(next.key(), next);
                    } else {
                        stay.add(next);
                    }
                }));
        List<HotKey> all = new ArrayList<>(held.values());
        stay.stream()
                .sorted(Comparator.comparing(key -> key.reason() != HotKeyReason.COOLDOWN))
                .limit(MOST_CANDIDATES)
                .forEach(all::add);
        all.sort(Comparator.comparing(HotKey::key));
        return List.copyOf(all);
    }

    /** A key that somebody has pinned in the spec is theirs. */
    private void remember() {
        List<HotKey> mine = seen.before().stream()
                .filter(key -> !key.isHeld() || !seen.pins().containsKey(key.key()))
                .toList();
        mine.stream().filter(HotKey::isHeld).forEach(key -> held.put(key.key(), key));
        mine.forEach(key -> {
            held.remove(key.key());
            HotKey next = key.isHeld() ? new HeldKeys(seen, shares, pinsOf()).next(key) : key;
            (next.isHeld() ? held : candidates).put(key.key(), next);
        });
    }

    /** Keys above the threshold where their bucket is. One that has a shard of its own may have as much of that as it likes. */
    private void discover() {
        seen.load()
                .shards()
                .forEach((shard, window) -> window.keys().keySet().stream()
                        .map(seen.scopeOf())
                        .flatMap(Optional::stream)
                        .filter(key -> seen.home(key).equals(shard)
                                && !seen.pinned().containsKey(key)
                                && !held.containsKey(key))
                        .filter(this::isHot)
                        .forEach(key -> candidates.putIfAbsent(
                                key, HotKey.candidate(key, HotKeyReason.WINDOW_NOT_COVERED, shard, seen.now()))));
    }

    private boolean isHot(Scope key) {
        return shares.atLeast(key) >= seen.settings().threshold();
    }

    /** What a candidate is now; empty when it is none any more. */
    private Optional<HotKey> judged(HotKey before) {
        Scope key = before.key();
        if (seen.pinned().containsKey(key)) {
            return Optional.empty();
        }
        HotKey now = before.on(seen.home(key)).withPercent(HotKeyShares.percent(shares.atLeast(key), before.percent()));
        if (before.reason() == HotKeyReason.COOLDOWN
                && !seen.pins().containsKey(key)
                && before.since().plus(seen.settings().cooldown()).isAfter(seen.now())) {
            return Optional.of(now);
        }
        if (!isHot(key)) {
            return lukewarm(now);
        }
        return Optional.of(obstacle(key)
                .map(reason -> now.with(HotKeyState.CANDIDATE, reason, seen.now()))
                .orElseGet(() -> proposed(now)));
    }

    private Optional<HotKey> lukewarm(HotKey now) {
        if (seen.pins().containsKey(now.key())) {
            return Optional.empty();
        }
        if (!seen.load().covered()) {
            return Optional.of(now.with(HotKeyState.CANDIDATE, HotKeyReason.WINDOW_NOT_COVERED, seen.now()));
        }
        return shares.atLeast(now.key()) < seen.settings().coldBelow()
                ? Optional.empty()
                : Optional.of(now.with(HotKeyState.CANDIDATE, HotKeyReason.BELOW_THRESHOLD, seen.now()));
    }

    /** Why a hot key is not proposed. */
    private Optional<HotKeyReason> obstacle(Scope key) {
        if (seen.pins().containsKey(key)) {
            return Optional.of(HotKeyReason.PINNED_BY_SPEC);
        }
        if (!seen.load().covered()) {
            return Optional.of(HotKeyReason.WINDOW_NOT_COVERED);
        }
        if (shares.fewRequests(key)) {
            return Optional.of(HotKeyReason.FEW_REQUESTS);
        }
        if (held.size() >= seen.settings().maxPins()) {
            return Optional.of(HotKeyReason.MAX_PINS);
        }
        if (seen.target(pinsOf()).isEmpty()) {
            return Optional.of(HotKeyReason.NO_TARGET);
        }
        return seen.planUnderWay() ? Optional.of(HotKeyReason.PLAN_UNDER_WAY) : Optional.empty();
    }

    private HotKey proposed(HotKey candidate) {
        return candidate
                .to(seen.target(pinsOf()).orElseThrow())
                .with(HotKeyState.PROPOSED, HotKeyReason.ABOVE_THRESHOLD, seen.now())
                .withBefore(shares.neighbours(candidate.shard()));
    }

    /** What each shard has, or is to have: of a key that is on its way, where it goes. */
    private Map<String, Integer> pinsOf() {
        SortedMap<Scope, String> wanted = new TreeMap<>(seen.pinned());
        held.values().forEach(key -> key.target().ifPresent(target -> wanted.put(key.key(), target)));
        wanted.putAll(seen.pins());
        Map<String, Integer> pinsOf = new HashMap<>();
        wanted.values().forEach(shard -> pinsOf.merge(shard, 1, Integer::sum));
        return pinsOf;
    }
}
