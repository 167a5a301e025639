package io.shardwright.controllers.shardpolicy;

import io.shardwright.meaning.DetectedKeys;

/**
 * Hot keys.
 *
 * @param before as the status remembers them
 * @param now as detection decides
 */
record FoundKeys(DetectedKeys before, DetectedKeys now) {
    static final FoundKeys NONE = new FoundKeys(DetectedKeys.NONE, DetectedKeys.NONE);
}
