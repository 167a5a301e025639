package io.shardwright.crds.shardpolicy;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.shardwright.crds.Names;
import io.shardwright.crds.schema.SchemaOverlay;
import java.util.List;

/**
 * Keys that burn a shard get another one for themselves. Pins are a list map by key: in a plain map a key that is written twice
 * would lose one of its shards without a word.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@SchemaCustomizer(
        value = SchemaOverlay.class,
        input = "properties: {pins: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [key]}}")
public record HotKeys(
        @JsonPropertyDescription(
                "Keys with the Dedicated shards that serve them, each key once. A pin that is added or changed is a move of the key,"
                        + " and one that is removed is a move back to the shard that owns its bucket; how such moves are approved"
                        + " says rebalancing.mode. Without a policy keys stay where they are; a policy that comes into force decides"
                        + " anew, so it must name them to keep them there.")
        @Size(max = HotKeys.PINS_MAX)
        List<Pin> pins,

        @JsonPropertyDescription(
                "True: keys of pins and moves appear in statuses and events as their SHA-256 only. Specs and the routing table have"
                        + " them as they are, and so have examples of misplaced rows and errors of a database in logs.")
        @Default("false")
        Boolean hashKeys,

        @JsonPropertyDescription(
                "Finds hot keys by what routers report, and plans them as pins are planned; without it nothing is detected.")
        HotKeyDetection detection) {
    /** Client-side apply keeps the whole object in an annotation, and that takes 256 KiB. */
    static final int PINS_MAX = 5000;

    public static final HotKeys NONE = new HotKeys(null, null, null);

    public HotKeys {
        pins = pins == null ? List.of() : List.copyOf(pins);
        hashKeys = hashKeys != null && hashKeys;
    }

    /** Whether anything is detected. */
    @JsonIgnore
    public boolean detects() {
        return detection != null && detection.mode() != HotKeyDetection.Mode.OFF;
    }

    /** One key and the shard that serves it. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Pin(
            @JsonPropertyDescription(
                    "The shard key as text. Spellings of one key (42 and 042 of Int64, upper and lower case of a UUID) are the same"
                            + " key.")
            @Required
            @Size(min = 1, max = Names.KEY_MAX)
            String key,

            @JsonPropertyDescription("A Dedicated shard of the ShardCluster.")
            @Required
            @Size(min = 1, max = Names.SHARD_MAX)
            @Pattern(Names.DNS_LABEL)
            String shard) {}
}
