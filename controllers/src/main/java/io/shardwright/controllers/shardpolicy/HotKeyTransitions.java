package io.shardwright.controllers.shardpolicy;

import io.shardwright.controllers.report.Transition;
import io.shardwright.planning.hotkeys.HotKey;
import io.shardwright.planning.hotkeys.HotKeyReason;
import io.shardwright.planning.hotkeys.HotKeyState;
import io.shardwright.routing.Scope;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** What became of detected keys and is worth an event; keys as the status shows them. */
final class HotKeyTransitions {
    private HotKeyTransitions() {}

    /** @param pinned keys that have a shard of their own: one that detection holds no more, and that still has it, is somebody else's now */
    static List<Transition> of(Collection<HotKey> before, Collection<HotKey> after, Set<Scope> pinned) {
        TreeMap<Scope, HotKey> was = new TreeMap<>();
        before.forEach(key -> was.put(key.key(), key));
        List<Transition> transitions = new ArrayList<>();
        after.forEach(now -> {
            told(Optional.ofNullable(was.remove(now.key())), now).ifPresent(transitions::add);
        });
        was.values().stream()
                .filter(gone -> gone.formerShard().isPresent() && !pinned.contains(gone.key()))
                .forEach(gone ->
                        transitions.add(foldedBack(gone, gone.formerShard().get())));
        return transitions;
    }

    private static Optional<Transition> told(Optional<HotKey> before, HotKey now) {
        HotKeyState was = before.map(HotKey::state).orElse(HotKeyState.CANDIDATE);
        if (was == now.state()) {
            return Optional.empty();
        }
        String key = now.key().words();
        return Optional.ofNullable(
                switch (now.state()) {
                    case PROPOSED ->
                        Transition.normal(
                                "HotKeyProposed",
                                key + " is to go from " + now.shard() + " to "
                                        + now.target().orElseThrow() + share(now, ": at least ") + "; "
                                        + now.reason().meaning());
                    case PINNED ->
                        was == HotKeyState.PROPOSED
                                ? Transition.normal("HotKeyPinned", key + " has its own shard " + now.shard())
                                : null;
                    case COOLING_DOWN ->
                        Transition.normal(
                                "HotKeyCoolingDown",
                                key + " on " + now.shard() + share(now, " would have at most ") + " at home; "
                                        + now.reason().meaning());
                    case CANDIDATE -> left(before.orElseThrow(), now);
                });
    }

    private static Transition left(HotKey before, HotKey now) {
        if (before.formerShard().isPresent()) {
            return foldedBack(now, now.shard());
        }
        return Transition.normal(
                "HotKeyWithdrawn",
                now.key().words() + " is not proposed any more: "
                        + (now.reason() == HotKeyReason.COOLDOWN
                                ? "it became cold where it is"
                                : now.reason().meaning()));
    }

    private static Transition foldedBack(HotKey key, String home) {
        return Transition.normal("HotKeyFoldedBack", key.key().words() + " is back on " + home + " with its bucket");
    }

    private static String share(HotKey key, String words) {
        return key.percent().isPresent() ? words + key.percent().getAsInt() + "% of the requests" : "";
    }
}
