package io.shardwright.planning.hotkeys;

import io.shardwright.routing.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A key as detection sees it; the status remembers it.
 *
 * @param shard that serves it now
 * @param target Dedicated shard that it is to have, or has; empty for a candidate
 * @param formerShard where it was hot when it was moved
 * @param since when it came into its state
 * @param percent its share: at least that much of its shard, or at most that much at home; empty while nothing is known
 * @param before p95 of its neighbours when it was proposed; @param after when it had gone
 */
public record HotKey(
        Scope key,
        HotKeyState state,
        HotKeyReason reason,
        String shard,
        Optional<String> target,
        Optional<String> formerShard,
        Instant since,
        OptionalInt percent,
        Optional<Duration> before,
        Optional<Duration> after) {

    /** Takes part in the plan as a pin does; one that does not, and has a shard of its own, is planned home. */
    public boolean isWanted() {
        return isHeld()
                && reason != HotKeyReason.GOING_HOME
                && reason != HotKeyReason.NO_TARGET
                && reason != HotKeyReason.DETECTION_OFF;
    }

    /** Detection has chosen, or had chosen, a shard for it. */
    public boolean isHeld() {
        return state != HotKeyState.CANDIDATE;
    }

    static HotKey candidate(Scope key, HotKeyReason reason, String shard, Instant since) {
        return new HotKey(
                key,
                HotKeyState.CANDIDATE,
                reason,
                shard,
                Optional.empty(),
                Optional.empty(),
                since,
                OptionalInt.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** The time of a state is that of the change into it. */
    HotKey with(HotKeyState next, HotKeyReason why, Instant now) {
        return new HotKey(
                key, next, why, shard, target, formerShard, next == state ? since : now, percent, before, after);
    }

    HotKey on(String serving) {
        return new HotKey(key, state, reason, serving, target, formerShard, since, percent, before, after);
    }

    HotKey to(String chosen) {
        return new HotKey(key, state, reason, shard, Optional.of(chosen), formerShard, since, percent, before, after);
    }

    HotKey from(String former) {
        return new HotKey(key, state, reason, shard, target, Optional.of(former), since, percent, before, after);
    }

    HotKey withPercent(OptionalInt share) {
        return new HotKey(key, state, reason, shard, target, formerShard, since, share, before, after);
    }

    HotKey withBefore(Optional<Duration> p95) {
        return new HotKey(key, state, reason, shard, target, formerShard, since, percent, p95, after);
    }

    HotKey withAfter(Optional<Duration> p95) {
        return new HotKey(key, state, reason, shard, target, formerShard, since, percent, before, p95);
    }
}
