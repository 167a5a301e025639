package io.shardwright.operator.feed;

import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RoutingTableCodec;
import io.shardwright.routing.TableOrder;

/** A routing table in the one text that is sent. */
public record TableDocument(TableOrder order, String text) {
    public static TableDocument of(RoutingTable table) {
        return new TableDocument(table.order(), RoutingTableCodec.encode(table));
    }

    /** The id of the event: names the document, because each of its changes has a new generation. */
    String id() {
        return order.incarnation() + "/" + order.generation();
    }

    /** The event of the stream; the text is one line. */
    String event() {
        return "event: table\nid: " + id() + "\ndata: " + text + "\n\n";
    }
}
