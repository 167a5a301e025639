package io.shardwright.crds.shardpolicy;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.annotation.JsonValue;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.shardwright.crds.Durations;
import io.shardwright.crds.Names;
import io.shardwright.crds.Percent;
import io.shardwright.crds.schema.SchemaOverlay;
import java.util.List;

/** Keys that are found to be hot by what routers report. Without this block nothing is detected. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@SchemaCustomizer(value = SchemaOverlay.class, input = "properties: {targets: {x-kubernetes-list-type: set}}")
@ValidationRule(
        value = "duration(self.cooldown) >= duration(self.window)",
        fieldPath = ".cooldown",
        message = "cooldown is at least as long as window, or a key would go home by figures of its way there: raise"
                + " cooldown, or lower window")
public record HotKeyDetection(
        @JsonPropertyDescription(
                "Propose: a hot key is a part of the plan, which runs when its hash is approved, whatever rebalancing.mode says."
                        + " Automatic: such a plan runs by itself; setting it needs the verb approve. Off, written in quotes because"
                        + " YAML reads the bare word as false: nothing is detected, and detected keys are planned home as removed"
                        + " pins are. A plan with keys of pins in it, too, goes by the stricter of both modes.")
        @Default("Propose")
        Mode mode,

        @JsonPropertyDescription(
                "A key is hot when it certainly has this share of the requests to its shard over the window, 5% to 90%. It goes home"
                        + " when it would certainly have less than half of that there.")
        @Default("20%")
        @Size(max = 8)
        @Pattern(Percent.PATTERN)
        String threshold,

        @JsonPropertyDescription(
                "Over how much time requests are added up, 30s to 15m. Nothing is proposed and nothing goes home before every"
                        + " live router has reported that much, and on a shard with less than one request per second.")
        @Default("5m")
        @Size(max = 16)
        @Pattern(Durations.PATTERN)
        String window,

        @JsonPropertyDescription(
                "Dedicated shards that detected keys may go to; each key goes to the one with the fewest pins. A shard that leaves this"
                        + " list keeps the keys that it has.")
        @Required
        @Size(min = 1, max = HotKeyDetection.TARGETS_MAX)
        List<@Size(min = 1, max = Names.SHARD_MAX) @Pattern(Names.DNS_LABEL) String> targets,

        @JsonPropertyDescription(
                "Detected keys that are proposed or have a shard of their own at the same time, 1 to 100; pins of the spec do not count."
                        + " A lower number takes none of them home.")
        @Default("20")
        @Min(1)
        @Max(100)
        Integer maxPins,

        @JsonPropertyDescription(
                "For how long a key must be cold before the plan takes it home, and for how long one that went home is not proposed"
                        + " anew; at least window, at most 168h (7 days).")
        @Default("30m")
        @Size(max = 16)
        @Pattern(Durations.PATTERN)
        String cooldown) {
    static final int TARGETS_MAX = 16;

    public HotKeyDetection {
        mode = mode == null ? Mode.PROPOSE : mode;
        threshold = threshold == null ? "20%" : threshold;
        window = window == null ? "5m" : window;
        targets = targets == null ? List.of() : List.copyOf(targets);
        maxPins = maxPins == null ? 20 : maxPins;
        cooldown = cooldown == null ? "30m" : cooldown;
    }

    @ValidationRule(
            value = "!self.endsWith('%') || (double(self.substring(0, size(self) - 1)) >= 5.0"
                    + " && double(self.substring(0, size(self) - 1)) <= 90.0)",
            message = "threshold must be between 5% and 90%")
    public String threshold() {
        return threshold;
    }

    @ValidationRule(
            value = "duration(self) >= duration('30s') && duration(self) <= duration('15m')",
            message = "window must be between 30s and 15m")
    public String window() {
        return window;
    }

    @ValidationRule(value = "duration(self) <= duration('168h')", message = "cooldown must be at most 168h (7 days)")
    public String cooldown() {
        return cooldown;
    }

    /** Who decides that a hot key moves. */
    public enum Mode {
        OFF("Off"),
        PROPOSE("Propose"),
        AUTOMATIC("Automatic");

        private final String wire;

        Mode(String wire) {
            this.wire = wire;
        }

        @JsonValue
        public String wire() {
            return wire;
        }
    }
}
