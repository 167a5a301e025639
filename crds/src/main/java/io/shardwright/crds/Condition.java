package io.shardwright.crds;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.shardwright.crds.schema.SchemaOverlay;
import java.time.Instant;

/**
 * One statement about an object, in the shape that all of Kubernetes uses. Type and reason are text on the wire, so that an
 * object written by a newer release still loads; what this release writes comes from {@link ConditionType} and {@link Reason}.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@SchemaCustomizer(value = SchemaOverlay.class, input = """
                properties:
                  status: {enum: ["True", "False", "Unknown"]}
                  lastTransitionTime: {format: date-time}
                """)
public record Condition(
        @JsonPropertyDescription("What the statement is about.")
        @Required
        @Size(min = 1, max = 64)
        @Pattern("^[A-Z][A-Za-z]*$")
        String type,

        @JsonPropertyDescription("True, False or Unknown; Unknown is never good.") @Required
        String status,

        @JsonPropertyDescription("Why, as one word of the documented list of reasons.")
        @Required
        @Size(min = 1, max = 64)
        @Pattern("^[A-Z][A-Za-z0-9]*$")
        String reason,

        @JsonPropertyDescription("What was seen, what is awaited, and until when.")
        @Required
        @Size(max = Condition.MESSAGE_MAX)
        String message,

        @JsonPropertyDescription("When status changed last.") @Required
        String lastTransitionTime,

        @JsonPropertyDescription("Generation of the spec that this statement is about.")
        Long observedGeneration) {
    public static final int MESSAGE_MAX = 2048;

    /** A statement made now; a message that is too long is cut, never refused. */
    public static Condition of(
            ConditionType type, ConditionStatus status, Reason reason, String message, Long generation, Instant now) {
        return new Condition(type.wire(), status.wire(), reason.wire(), cut(message), now.toString(), generation);
    }

    public boolean is(ConditionType other) {
        return type.equals(other.wire());
    }

    @JsonIgnore
    public boolean isTrue() {
        return ConditionStatus.TRUE.wire().equals(status);
    }

    /** The same statement, with the time at which its status began. */
    Condition since(String time) {
        return new Condition(type, status, reason, message, time, observedGeneration);
    }

    private static String cut(String message) {
        return message.length() <= MESSAGE_MAX ? message : message.substring(0, MESSAGE_MAX - 3) + "...";
    }
}
