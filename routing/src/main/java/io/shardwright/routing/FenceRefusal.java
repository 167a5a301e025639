package io.shardwright.routing;

import io.shardwright.routing.json.JsonObject;
import io.shardwright.routing.json.JsonReader;
import io.shardwright.routing.json.MalformedDocumentException;
import java.util.Arrays;

/**
 * What a database says to a router that it does not serve: the DETAIL of SQLSTATE SH409.
 *
 * @param owner hint, may be null
 * @param epoch of the fence row, 0 when there is none
 * @param move id of the move, may be null
 */
public record FenceRefusal(int bucket, FenceState state, String owner, long epoch, String move) {
    public static final String SQL_STATE = "SH409";

    /**
     * @param detail {@code {"bucket":7,"state":"MOVED","owner":"ds-4","epoch":12,"move":"..."}}
     * @throws MalformedDocumentException when bucket or state are missing or unknown
     */
    public static FenceRefusal parse(String detail) {
        if (detail == null) {
            throw new MalformedDocumentException("a refusal without DETAIL: not raised by the fence");
        }
        JsonObject refusal = JsonReader.readObject(detail);
        return new FenceRefusal(
                refusal.whole("bucket", Bucketing.MAX_BUCKETS - 1),
                state(refusal.text("state")),
                refusal.optionalText("owner").orElse(null),
                refusal.optionalWhole("epoch").orElse(0L),
                refusal.optionalText("move").orElse(null));
    }

    private static FenceState state(String name) {
        return Arrays.stream(FenceState.values())
                .filter(state -> state.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new MalformedDocumentException("a refusal with the unknown state " + name));
    }
}
