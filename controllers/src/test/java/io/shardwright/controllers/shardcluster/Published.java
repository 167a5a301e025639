package io.shardwright.controllers.shardcluster;

import io.shardwright.controllers.routing.PublishedTable;
import io.shardwright.routing.RoutingTable;
import java.util.Optional;

/** Tables as if they had been published. */
final class Published {
    private Published() {}

    static Optional<PublishedTable> of(Optional<RoutingTable> table) {
        return table.map(one -> new PublishedTable(one, "", ""));
    }
}
