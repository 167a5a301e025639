package io.shardwright.controllers.shardpolicy;

import io.shardwright.meaning.DetectedKeys;
import io.shardwright.planning.hotkeys.HotKey;
import io.shardwright.routing.Scope;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Hot keys.
 *
 * @param before as the status remembers them
 * @param now as detection decides
 */
record FoundKeys(DetectedKeys before, DetectedKeys now) {
    static final FoundKeys NONE = new FoundKeys(DetectedKeys.NONE, DetectedKeys.NONE);

    /** The status remembers every key that is held now. One that moved before would look like a removed pin after a crash. */
    boolean areRemembered() {
        return held(before).containsAll(held(now));
    }

    private static Set<Scope> held(DetectedKeys keys) {
        return keys.known().stream().filter(HotKey::isHeld).map(HotKey::key).collect(Collectors.toSet());
    }
}
