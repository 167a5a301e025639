package io.shardwright.routing;

import io.shardwright.routing.json.JsonObject;
import io.shardwright.routing.json.JsonReader;
import io.shardwright.routing.json.JsonWriter;
import io.shardwright.routing.json.MalformedDocumentException;
import java.util.HashMap;
import java.util.Map;

/** The answer to an acknowledgement: {@code {"confirmed":true,"newest":{"generation":9,"incarnation":1,"revision":7}}}. */
public final class AckReplyCodec {
    private AckReplyCodec() {}

    public static String encode(AckReply reply) {
        Map<String, Object> document = new HashMap<>();
        document.put("confirmed", reply.confirmed());
        TableOrder newest = reply.newest();
        document.put(
                "newest",
                newest == null
                        ? null
                        : Map.of(
                                "incarnation", newest.incarnation(),
                                "revision", newest.revision(),
                                "generation", newest.generation()));
        return JsonWriter.write(document);
    }

    /** @throws MalformedDocumentException with the field and what is wrong with it */
    public static AckReply decode(String document) {
        JsonObject reply = JsonReader.readObject(document);
        TableOrder newest = reply.optionalObject("newest")
                .map(order ->
                        new TableOrder(order.whole("incarnation"), order.whole("revision"), order.whole("generation")))
                .orElse(null);
        return new AckReply(reply.truth("confirmed"), newest);
    }
}
