package io.shardwright.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.shardwright.crds.schema.SchemaOverlay;

/** Somebody that an object waits for. A list of these has at most ten names; the eleventh entry counts the rest. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@SchemaCustomizer(value = SchemaOverlay.class, input = "properties: {since: {format: date-time}}")
public record Blocker(
        @JsonPropertyDescription(
                "What is waited for: BucketMove, ShardCluster, ShardPolicy, Router, Session, Maintenance.")
        @Required
        @Size(min = 1, max = 63)
        String kind,

        @JsonPropertyDescription("Its name; for a router the pod.") @Required @Size(max = 253)
        String name,

        @JsonPropertyDescription("Since when it is waited for.")
        String since,

        @JsonPropertyDescription("What was seen and what is awaited.") @Size(max = 1024)
        String reason) {
    /** Most entries of a list of blockers: ten names and one count. */
    public static final int MAX = 11;
}
