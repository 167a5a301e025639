package io.shardwright.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;

/** Who has acknowledged a revision of the routing table, as "acknowledged/live". */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Acks(
        @JsonPropertyDescription("Worker processes: acknowledged/live.") @Size(max = 32) @Pattern(Acks.SHAPE)
        String worker,

        @JsonPropertyDescription("Web processes: acknowledged/live.") @Size(max = 32) @Pattern(Acks.SHAPE)
        String web,

        @JsonPropertyDescription("All routers: acknowledged/live.") @Size(max = 32) @Pattern(Acks.SHAPE)
        String total) {
    static final String SHAPE = "^[0-9]+/[0-9]+$";

    /** @throws IllegalArgumentException when more have acknowledged than live */
    public static Acks of(int workersAcked, int workersLive, int webAcked, int webLive) {
        return new Acks(
                ratio(workersAcked, workersLive),
                ratio(webAcked, webLive),
                ratio(workersAcked + webAcked, workersLive + webLive));
    }

    private static String ratio(int acked, int live) {
        if (acked < 0 || acked > live) {
            throw new IllegalArgumentException(acked + " acknowledged of " + live + " live");
        }
        return acked + "/" + live;
    }
}
