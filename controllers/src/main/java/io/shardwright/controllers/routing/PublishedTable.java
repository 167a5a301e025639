package io.shardwright.controllers.routing;

import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RoutingTableCodec;
import io.shardwright.routing.TableDigest;

/**
 * A table as it is stored, with the text that routers read.
 *
 * @param digest identifies the text; an acknowledgement names it
 */
public record PublishedTable(RoutingTable table, String document, String digest) {
    static PublishedTable of(RoutingTable table) {
        String document = RoutingTableCodec.encode(table);
        return new PublishedTable(table, document, TableDigest.of(document));
    }
}
