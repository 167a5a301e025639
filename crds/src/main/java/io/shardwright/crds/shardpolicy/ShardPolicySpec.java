package io.shardwright.crds.shardpolicy;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.shardwright.crds.ClusterRef;
import io.shardwright.crds.Durations;
import io.shardwright.crds.schema.SchemaOverlay;
import java.util.List;

/** What is tolerated. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@SchemaCustomizer(value = SchemaOverlay.class, input = """
                properties:
                  windows: {x-kubernetes-list-type: atomic}
                  freezes: {x-kubernetes-list-type: atomic}
                """)
@ValidationRule(
        value = "self.clusterRef == oldSelf.clusterRef",
        fieldPath = ".clusterRef",
        message = "clusterRef is immutable: create a new ShardPolicy")
@ValidationRule(
        value = "duration(self.rebalancing.drainTimeout) <= duration(self.rebalancing.writeHoldBudget)",
        fieldPath = ".rebalancing.drainTimeout",
        message = "drainTimeout is a part of writeHoldBudget: lower it, or raise writeHoldBudget")
public record ShardPolicySpec(
        @JsonPropertyDescription("The ShardCluster that this policy is for. Immutable.") @Required
        ClusterRef clusterRef,

        @JsonPropertyDescription("How buckets are moved between shards.") @Default("{}")
        Rebalancing rebalancing,

        @JsonPropertyDescription("Keys that are served by shards of their own.") @Default("{}")
        HotKeys hotKeys,

        @JsonPropertyDescription(
                "How long a revision is given to be acknowledged before status and events name who is missing. Nothing"
                        + " goes on without them.")
        @Default("10s")
        @Size(max = 16)
        @Pattern(Durations.PATTERN)
        String handoverTimeout,

        @JsonPropertyDescription(
                "When moves may start, switch, and delete the rows that they have left; no window = at any time. What has begun"
                        + " to switch is finished, and aborts and reversals wait for no window.")
        @Size(max = ShardPolicySpec.WINDOWS_MAX)
        List<Window> windows,

        @JsonPropertyDescription("When no move may start, switch or delete, whatever window is open.")
        @Size(max = ShardPolicySpec.FREEZES_MAX)
        List<Freeze> freezes) {
    static final int WINDOWS_MAX = 32;
    static final int FREEZES_MAX = 64;

    public ShardPolicySpec {
        rebalancing = rebalancing == null ? Rebalancing.defaults() : rebalancing;
        hotKeys = hotKeys == null ? HotKeys.NONE : hotKeys;
        handoverTimeout = handoverTimeout == null ? "10s" : handoverTimeout;
        windows = windows == null ? List.of() : List.copyOf(windows);
        freezes = freezes == null ? List.of() : List.copyOf(freezes);
    }

    /** What holds for a cluster without a policy, and for a policy that says nothing else. */
    public static ShardPolicySpec defaults(ClusterRef cluster) {
        return new ShardPolicySpec(cluster, null, null, null, null, null);
    }

    @ValidationRule(
            value = "duration(self) >= duration('1s') && duration(self) <= duration('10m')",
            message = "handoverTimeout must be between 1s and 10m")
    public String handoverTimeout() {
        return handoverTimeout;
    }

    /** A time that comes again and again. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Window(
            @JsonPropertyDescription(
                    "When it opens, by the clock of timeZone: minute, hour, day of month, month, day of week (0 or 7 is Sunday)."
                            + " Of two days that are given one suffices. Where a clock is put forward past the time, it opens"
                            + " at that moment; where a clock shows the time twice, it opens twice.")
            @Required
            @Size(max = 128)
            String cron,

            @JsonPropertyDescription("How long it stays open, 1m to 168h (7 days).")
            @Required
            @Size(max = 16)
            @Pattern(Durations.PATTERN)
            String duration,

            @JsonPropertyDescription("Name of a time zone in the IANA database, for example Asia/Seoul or UTC.")
            @Required
            @Size(min = 1, max = 64)
            String timeZone) {

        @ValidationRule(
                value = "self.matches('" + Cron.PATTERN + "')",
                message =
                        "cron has five fields, minute hour day month weekday, each a number, a range, a list or *: write 0 2"
                                + " * * * for 02:00 on every day")
        public String cron() {
            return cron;
        }

        @ValidationRule(
                value = "duration(self) >= duration('1m') && duration(self) <= duration('168h')",
                message = "duration must be between 1m and 168h (7 days)")
        public String duration() {
            return duration;
        }

        @ValidationRule(
                value = "self.matches('^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$')",
                message = "timeZone is a name of the IANA database: write Asia/Seoul, Europe/Berlin or UTC")
        public String timeZone() {
            return timeZone;
        }
    }

    /** A time that comes once. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    @SchemaCustomizer(value = SchemaOverlay.class, input = """
                    properties:
                      from: {format: date-time}
                      to: {format: date-time}
                    """)
    @ValidationRule(
            value = "self.from < self.to",
            fieldPath = ".to",
            message = "a freeze ends after it begins: swap from and to, or move to")
    public record Freeze(
            @JsonPropertyDescription("When it begins, with its offset: 2026-12-20T00:00:00Z.")
            @Required
            @Size(max = 32)
            @Pattern(Freeze.PATTERN)
            String from,

            @JsonPropertyDescription("When it ends; from then on windows count again.")
            @Required
            @Size(max = 32)
            @Pattern(Freeze.PATTERN)
            String to,

            @JsonPropertyDescription("Why, for whoever waits.") @Required @Size(min = 1, max = 256)
            String reason) {
        /** The format alone would accept a time without an offset. */
        static final String PATTERN =
                "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2})$";
    }
}
