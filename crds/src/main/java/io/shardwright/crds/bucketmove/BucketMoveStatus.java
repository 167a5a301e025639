package io.shardwright.crds.bucketmove;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.shardwright.crds.Acks;
import io.shardwright.crds.Blocker;
import io.shardwright.crds.Condition;
import io.shardwright.crds.Names;
import io.shardwright.crds.schema.SchemaOverlay;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How a move stands and how it came there. Derived from the databases again at every pass; never the truth itself. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
@SchemaCustomizer(value = SchemaOverlay.class, input = """
                properties:
                  phase:
                    enum: [Pending, Validating, Preparing, Copying, CatchingUp, Verifying, Ready, Switching, Publishing,
                      Reversible, Reversing, CleaningUp, Succeeded, Reversed, Paused, Blocked, Aborting, Aborted, Failed]
                  reversibleUntil: {format: date-time}
                  switches: {x-kubernetes-list-type: atomic}
                  blockedBy: {x-kubernetes-list-type: atomic}
                  history: {x-kubernetes-list-type: atomic}
                  conditions: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type]}
                """)
public record BucketMoveStatus(
        @JsonPropertyDescription("Generation of the spec that this status is about.")
        Long observedGeneration,

        @JsonPropertyDescription("Where the move stands.") String phase,

        @JsonPropertyDescription("How far copy and stream are.")
        Progress progress,

        @JsonPropertyDescription("How long writers wait at a switch.")
        Hold hold,

        @JsonPropertyDescription(
                "The last 20 buckets or keys that were switched, in order, and the one with the longest hold.")
        @Size(max = BucketMoveStatus.LAST_SWITCHES + 1)
        List<Switch> switches,

        @JsonPropertyDescription("What the comparison of both sides found.")
        Verification verification,

        @JsonPropertyDescription("Who has acknowledged the revision that is waited for.")
        Acks acks,

        @JsonPropertyDescription(
                "When the soak ends, by the clock of the operator; never earlier, but by intent Complete.")
        String reversibleUntil,

        @JsonPropertyDescription("The reversal, once it has begun; it is never unset.")
        Reversal reversal,

        @JsonPropertyDescription("True once source rows may be gone; it is never unset.")
        Boolean pointOfNoReturn,

        @JsonPropertyDescription("Who is waited for.") @Size(max = Blocker.MAX)
        List<Blocker> blockedBy,

        @JsonPropertyDescription("What somebody should do next; empty when nothing is needed.") @Size(max = 1024)
        String nextAction,

        @JsonPropertyDescription("The last 20 changes of phase, oldest first.")
        @Size(max = BucketMoveStatus.HISTORY_MAX)
        List<Transition> history,

        @JsonPropertyDescription(
                "Accepted, CopyComplete, InSync, Verified, WritesSwitched, Reversible, Progressing and Ready.")
        @Size(max = 16)
        List<Condition> conditions) {
    public static final int HISTORY_MAX = 20;

    /** Switches that are kept, beside the one with the longest hold. */
    public static final int LAST_SWITCHES = 20;

    public BucketMoveStatus {
        switches = switches == null ? List.of() : List.copyOf(switches);
        blockedBy = blockedBy == null ? List.of() : List.copyOf(blockedBy);
        history = history == null ? List.of() : List.copyOf(history);
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }

    @ValidationRule(value = "!oldSelf || self", message = "pointOfNoReturn is never unset: source rows may be gone")
    public Boolean pointOfNoReturn() {
        return pointOfNoReturn;
    }

    /** How far copy and stream are. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Progress(
            @JsonPropertyDescription("Rows that are durable on the target.") @Min(0)
            Long rowsCopied,

            @JsonPropertyDescription("Rows to copy, as estimated or counted.") @Min(0)
            Long rowsTotal,

            @JsonPropertyDescription("Speed of the copy.") @Min(0)
            Long bytesPerSecond,

            @JsonPropertyDescription("Log of the source that is not applied yet.") @Min(0)
            Long lagBytes,

            @JsonPropertyDescription(
                    "Who or what makes the move wait, or will end it when it goes on so; missing = nothing does.")
            @Size(max = 1024)
            String throttled) {}

    /** How long writers wait at a switch, in milliseconds. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Hold(
            @JsonPropertyDescription("Predicted for the next switch; missing = unknown = no switch.") @Min(0)
            Double predictedMs,

            @JsonPropertyDescription("Longest hold of the switches so far.") @Min(0)
            Double actualMs,

            @JsonPropertyDescription("Attempts so far, those that were given up included.") @Min(0)
            Integer attempts) {}

    /** The switch of one bucket or key; those of one group share its figures. */
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    @JsonIgnoreProperties(ignoreUnknown = true)
    @SchemaCustomizer(value = SchemaOverlay.class, input = "properties: {parts: {x-kubernetes-map-type: atomic}}")
    public record Switch(
            @JsonPropertyDescription("Bucket that was switched, or that of the key.") @Required @Min(0) @Max(65535)
            Integer bucket,

            @JsonPropertyDescription("Key that was switched, or its SHA-256 with hashKeys; missing = the bucket was.")
            @Size(max = Names.KEY_MAX)
            String key,

            @JsonPropertyDescription("Hold predicted before it.") @Required @Min(0)
            Double predictedMs,

            @JsonPropertyDescription("Hold measured.") @Required @Min(0)
            Double actualMs,

            @JsonPropertyDescription("The hold in parts: drain, fence, hop, apply, release.") @Size(max = 8)
            Map<String, Double> parts) {
        public Switch {
            parts = parts == null ? Map.of() : Collections.unmodifiableSortedMap(new TreeMap<>(parts));
        }
    }

    /** A move of its own from the target to the source, with a point of no return of its own; how far it is. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    @SchemaCustomizer(value = SchemaOverlay.class, input = """
                    properties:
                      phase:
                        enum: [Pending, Validating, Preparing, Copying, CatchingUp, Verifying, Ready, Switching,
                          Publishing, CleaningUp, Succeeded, Paused, Blocked, Aborting, Aborted, Failed]
                    """)
    @ValidationRule(
            value = "!oldSelf.?pointOfNoReturn.orValue(false) || self.?pointOfNoReturn.orValue(false)",
            fieldPath = ".pointOfNoReturn",
            message = "pointOfNoReturn of a reversal is never unset: rows of the move's target may be gone")
    public record Reversal(
            @JsonPropertyDescription("Where the reversal stands.") @Required
            String phase,

            @JsonPropertyDescription("True once rows of the move's target may be gone; it is never unset.")
            Boolean pointOfNoReturn) {}

    /** What the comparison found. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Verification(
            @JsonPropertyDescription("Rounds of comparing.") @Min(0)
            Integer rounds,

            @JsonPropertyDescription("Chunks that were compared.") @Min(0)
            Integer chunks,

            @JsonPropertyDescription("Rows that differ outside of what the stream still carries.") @Min(0)
            Long mismatches) {}

    /** One change of phase. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    @SchemaCustomizer(value = SchemaOverlay.class, input = "properties: {at: {format: date-time}}")
    public record Transition(
            @JsonPropertyDescription("When.") @Required String at,

            @JsonPropertyDescription("Phase before.") @Size(max = 32)
            String from,

            @JsonPropertyDescription("Phase after.") @Required @Size(max = 32)
            String to,

            @JsonPropertyDescription("What was seen that led to it.") @Size(max = 1024)
            String evidence) {}
}
