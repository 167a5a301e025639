package io.shardwright.crds.shardpolicy;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.annotation.JsonValue;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.shardwright.crds.ByteSize;
import io.shardwright.crds.Durations;
import io.shardwright.crds.Percent;

/** When buckets move, and what a move may cost those who write. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Rebalancing(
        @JsonPropertyDescription(
                "Manual: no plans. Propose: a plan is shown and runs when its hash is approved. Automatic: plans run.")
        @Default("Propose")
        Mode mode,

        @JsonPropertyDescription("A plan is made when the fullest shard is above its share by more than this.")
        @Default("10%")
        @Size(max = 8)
        @Pattern(Percent.PATTERN)
        String tolerance,

        @JsonPropertyDescription("Moves of disjoint pairs of shards that may copy at the same time, 1 to 64.")
        @Default("1")
        @Min(1)
        @Max(64)
        Integer maxConcurrentMoves,

        @JsonPropertyDescription(
                "Longest pause that a switch may cause to writers, above 0 and at most 10s; a switch whose prediction is"
                        + " above it, or unknown, does not happen.")
        @Default("300ms")
        @Size(max = 16)
        @Pattern(Durations.PATTERN)
        String writeHoldBudget,

        @JsonPropertyDescription(
                "The most that the copy of one move may bring to its target per second, 1Mi to 10Gi; less while a shard has"
                        + " trouble.")
        @Default("50Mi")
        @Size(max = 20)
        @Pattern(ByteSize.PATTERN)
        String maxBytesPerSecond,

        @JsonPropertyDescription(
                "A standby of either shard that is further behind, 1s to 10m, stops copy, comparison, switch and cleanup of a move"
                        + " until it is within half of that; so does one of which nobody knows. One that has been away, or far"
                        + " behind, for 5 minutes is waited for no more.")
        @Default("5s")
        @Size(max = 16)
        @Pattern(Durations.PATTERN)
        String pauseAboveLag,

        @JsonPropertyDescription("Longest wait for writers in flight per attempt; a part of writeHoldBudget.")
        @Default("150ms")
        @Size(max = 16)
        @Pattern(Durations.PATTERN)
        String drainTimeout,

        @JsonPropertyDescription("Watchdog: a fence that is not activated by then is decided against; 100ms to 1m.")
        @Default("2s")
        @Size(max = 16)
        @Pattern(Durations.PATTERN)
        String pauseMax,

        @JsonPropertyDescription(
                "How long a move stays reversible after the switch, 0s to 720h (30 days): rows stay on the source, and a stream"
                        + " keeps them true. A move with a soak of its own goes by that.")
        @Default("1h")
        @Size(max = 16)
        @Pattern(Durations.PATTERN)
        String soak,

        @JsonPropertyDescription(
                "Buckets that are switched under one hold, 1 to 16; above 1 only for buckets written together.")
        @Default("1")
        @Min(1)
        @Max(16)
        Integer switchGroup,

        @JsonPropertyDescription(
                "Refuse, or Accept: move although a failover to an asynchronous standby could lose the fence's commit.")
        @Default("Refuse")
        AsyncStandby asyncStandby,

        @JsonPropertyDescription(
                "Hash of the plan that may run, in mode Propose. Setting it needs the verb approve. Its moves are made once: to run the"
                        + " same plan again, empty this field and set it anew, also in mode Automatic. A plan of keys that have gone home since is"
                        + " approved as any other.")
        @Default("\"\"")
        @Size(max = 128)
        @Pattern("^[A-Za-z0-9]*$")
        String approvedPlan) {
    public Rebalancing {
        mode = mode == null ? Mode.PROPOSE : mode;
        tolerance = tolerance == null ? "10%" : tolerance;
        maxConcurrentMoves = maxConcurrentMoves == null ? 1 : maxConcurrentMoves;
        writeHoldBudget = writeHoldBudget == null ? "300ms" : writeHoldBudget;
        maxBytesPerSecond = maxBytesPerSecond == null ? "50Mi" : maxBytesPerSecond;
        pauseAboveLag = pauseAboveLag == null ? "5s" : pauseAboveLag;
        drainTimeout = drainTimeout == null ? "150ms" : drainTimeout;
        pauseMax = pauseMax == null ? "2s" : pauseMax;
        soak = soak == null ? "1h" : soak;
        switchGroup = switchGroup == null ? 1 : switchGroup;
        asyncStandby = asyncStandby == null ? AsyncStandby.REFUSE : asyncStandby;
        approvedPlan = approvedPlan == null ? "" : approvedPlan;
    }

    @ValidationRule(
            value = "duration(self) >= duration('1ms') && duration(self) <= duration('10s')",
            message = "writeHoldBudget must be between 1ms and 10s")
    public String writeHoldBudget() {
        return writeHoldBudget;
    }

    @ValidationRule(
            value = "quantity(self).compareTo(quantity('1Mi')) >= 0 && quantity(self).compareTo(quantity('10Gi')) <= 0",
            message = "maxBytesPerSecond must be between 1Mi and 10Gi")
    public String maxBytesPerSecond() {
        return maxBytesPerSecond;
    }

    @ValidationRule(
            value = "duration(self) >= duration('1s') && duration(self) <= duration('10m')",
            message = "pauseAboveLag must be between 1s and 10m")
    public String pauseAboveLag() {
        return pauseAboveLag;
    }

    @ValidationRule(
            value = "duration(self) >= duration('1ms') && duration(self) <= duration('10s')",
            message = "drainTimeout must be between 1ms and 10s")
    public String drainTimeout() {
        return drainTimeout;
    }

    @ValidationRule(
            value = "duration(self) >= duration('100ms') && duration(self) <= duration('1m')",
            message = "pauseMax must be between 100ms and 1m")
    public String pauseMax() {
        return pauseMax;
    }

    @ValidationRule(
            value = "duration(self) >= duration('0s') && duration(self) <= duration('720h')",
            message = "soak must be between 0s and 720h")
    public String soak() {
        return soak;
    }

    public static Rebalancing defaults() {
        return new Rebalancing(null, null, null, null, null, null, null, null, null, null, null, null);
    }

    /** Who decides that buckets move. */
    public enum Mode {
        MANUAL("Manual"),
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

    /** What to do where a failover could lose the fence's commit. */
    public enum AsyncStandby {
        REFUSE("Refuse"),
        ACCEPT("Accept");

        private final String wire;

        AsyncStandby(String wire) {
            this.wire = wire;
        }

        @JsonValue
        public String wire() {
            return wire;
        }
    }
}
