package io.shardwright.controllers.routing;

import java.time.Duration;

/** What came of a wish to publish. */
public sealed interface Publication {
    /**
     * The stored table has the wanted content.
     *
     * @param changed whether this call wrote it
     */
    record Stored(PublishedTable table, boolean changed) implements Publication {}

    /** Another one of its kind was published less than a second ago: ask again after the delay. */
    record Deferred(Duration delay) implements Publication {}
}
