package io.shardwright.planning.hotkeys;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * What becomes of a key that detection has chosen a shard for. As long as a plan is under way figures change nothing that is wanted,
 * for that would void its approval. A shard that takes keys no more has voided it already.
 */
record HeldKeys(HotKeySight seen, HotKeyShares shares, Map<String, Integer> pinsOf) {

    /** Held still, or a candidate again. */
    HotKey next(HotKey key) {
        String at = seen.pinned().get(key.key());
        if (key.state() == HotKeyState.PROPOSED) {
            return at == null ? atHome(key) : at.equals(key.target().orElse("")) ? arrived(key) : between(key.on(at));
        }
        return at == null ? wentHome(key) : served(key.on(at).to(at));
    }

    /** A proposal is withdrawn when the key has become cold before anybody moved it. */
    private HotKey atHome(HotKey before) {
        HotKey key = before.on(seen.home(before.key()));
        boolean covered = seen.load().covered();
        if (covered && !seen.planUnderWay() && isCold(key)) {
            return wentHome(key);
        }
        HotKey figured =
                covered ? key.withPercent(HotKeyShares.percent(shares.atLeast(key.key()), key.percent())) : key;
        if (key.target().filter(seen::takesKeys).isPresent()) {
            return figured;
        }
        return seen.target(pinsOf)
                .map(figured::to)
                .orElseGet(() -> HotKey.candidate(key.key(), HotKeyReason.NO_TARGET, key.shard(), seen.now()));
    }

    /** On its way from one Dedicated shard to another. */
    private HotKey between(HotKey key) {
        return key.target().filter(seen::takesKeys).isPresent()
                ? key
                : served(key.to(key.shard()).with(HotKeyState.PINNED, HotKeyReason.NO_TARGET, seen.now()));
    }

    /** Whoever comes home is not sent away again at once. */
    private HotKey wentHome(HotKey key) {
        return HotKey.candidate(key.key(), HotKeyReason.COOLDOWN, seen.home(key.key()), seen.now())
                .withPercent(key.percent());
    }

    private HotKey arrived(HotKey key) {
        HotKey here = key.formerShard().isPresent() ? key : key.from(key.shard());
        return served(here.on(key.target().orElseThrow()).with(HotKeyState.PINNED, HotKeyReason.SERVED, seen.now()));
    }

    /** A target that has left the topology, or is being drained, is left for another one, or for home. */
    private HotKey served(HotKey key) {
        return seen.takesKeys(key.shard()) ? cooled(figured(key)) : elsewhere(key);
    }

    private HotKey elsewhere(HotKey key) {
        return seen.target(pinsOf)
                .map(other -> key.to(other).with(HotKeyState.PROPOSED, HotKeyReason.TARGET_CHANGED, seen.now()))
                .orElseGet(() -> key.with(HotKeyState.PINNED, HotKeyReason.NO_TARGET, seen.now()));
    }

    private HotKey figured(HotKey key) {
        if (!seen.load().covered()) {
            return key;
        }
        HotKey shown = key.withPercent(HotKeyShares.percent(shares.atMostAtHome(key.key()), key.percent()));
        boolean first = key.after().isEmpty()
                && key.state() == HotKeyState.PINNED
                && isOver(key.since(), seen.settings().window());
        return first && key.formerShard().isPresent()
                ? shown.withAfter(shares.neighbours(key.formerShard().get()))
                : shown;
    }

    private HotKey cooled(HotKey key) {
        boolean covered = seen.load().covered();
        HotKey back = key.with(HotKeyState.PINNED, HotKeyReason.SERVED, seen.now());
        return switch (key.reason()) {
            case SERVED ->
                covered && isOver(key.since(), seen.settings().window()) && isCold(key)
                        ? key.with(HotKeyState.COOLING_DOWN, HotKeyReason.BELOW_HALF, seen.now())
                        : key;
            case BELOW_HALF -> {
                if (covered && !isCold(key)) {
                    yield back;
                }
                yield covered
                                && !seen.planUnderWay()
                                && isOver(key.since(), seen.settings().cooldown())
                        ? key.with(HotKeyState.COOLING_DOWN, HotKeyReason.GOING_HOME, seen.now())
                        : key;
            }
            case GOING_HOME -> covered && !seen.planUnderWay() && isWarm(key) ? back : key;
            default -> seen.planUnderWay() ? key : back;
        };
    }

    private boolean isCold(HotKey key) {
        return shares.atMostAtHome(key.key()) < seen.settings().coldBelow();
    }

    private boolean isWarm(HotKey key) {
        return shares.atLeastAtHome(key.key()) >= seen.settings().coldBelow();
    }

    private boolean isOver(Instant since, Duration time) {
        return !since.plus(time).isAfter(seen.now());
    }
}
