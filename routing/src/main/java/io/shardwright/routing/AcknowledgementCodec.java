package io.shardwright.routing;

import io.shardwright.routing.json.JsonObject;
import io.shardwright.routing.json.JsonReader;
import io.shardwright.routing.json.JsonWriter;
import io.shardwright.routing.json.MalformedDocumentException;
import java.util.HashMap;
import java.util.Map;

/** The acknowledgement as the body of {@code POST .../acks}. Names that a reader does not know are skipped. */
public final class AcknowledgementCodec {
    /** Longest text of any field but the reason of a refusal, in characters. */
    private static final int MAX_TEXT = 256;

    private static final int MAX_REASON = 2_048;

    private AcknowledgementCodec() {}

    public static String encode(Acknowledgement ack) {
        Map<String, Object> document = new HashMap<>();
        document.put("instance", ack.instance());
        document.put("boot", ack.boot());
        document.put("pod", ack.pod());
        document.put("role", ack.role().wire());
        document.put("sequence", ack.sequence());
        document.put("process", ack.process());
        document.put("incarnation", ack.incarnation());
        document.put("appliedRevision", ack.appliedRevision());
        document.put("generation", ack.generation());
        document.put("inFlightOldest", ack.inFlightOldest());
        document.put("digest", ack.digest());
        document.put("nack", ack.nack());
        document.put("client", ack.client());
        if (ack.load() != null) {
            document.put("load", LoadReportCodec.members(ack.load()));
        }
        return JsonWriter.write(document);
    }

    /** @throws MalformedDocumentException with the field and what is wrong with it */
    public static Acknowledgement decode(String document) {
        JsonObject ack = JsonReader.readObject(document);
        return new Acknowledgement(
                name(ack, "instance"),
                name(ack, "boot"),
                name(ack, "pod"),
                role(ack),
                ack.whole("sequence"),
                name(ack, "process"),
                ack.whole("incarnation"),
                ack.whole("appliedRevision"),
                ack.whole("generation"),
                ack.whole("inFlightOldest"),
                bounded(ack.text("digest"), "digest", MAX_TEXT),
                ack.optionalText("nack")
                        .map(reason -> bounded(reason, "nack", MAX_REASON))
                        .orElse(null),
                bounded(ack.optionalText("client").orElse(""), "client", MAX_TEXT),
                ack.optionalObject("load").map(LoadReportCodec::read).orElse(null));
    }

    private static String name(JsonObject ack, String field) {
        String value = bounded(ack.text(field), field, MAX_TEXT);
        if (value.isBlank()) {
            throw new MalformedDocumentException("document." + field + " must not be blank");
        }
        return value;
    }

    private static String bounded(String value, String field, int limit) {
        if (value.length() > limit) {
            throw new MalformedDocumentException("document." + field + " is longer than " + limit + " characters");
        }
        return value;
    }

    private static Role role(JsonObject ack) {
        try {
            return Role.fromWire(ack.text("role"));
        } catch (MalformedDocumentException e) {
            throw e;
        } catch (IllegalArgumentException e) {
            throw new MalformedDocumentException(e.getMessage(), e);
        }
    }
}
