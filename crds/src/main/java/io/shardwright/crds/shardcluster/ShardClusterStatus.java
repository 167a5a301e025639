package io.shardwright.crds.shardcluster;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.shardwright.crds.Acks;
import io.shardwright.crds.Blocker;
import io.shardwright.crds.Condition;
import io.shardwright.crds.schema.SchemaOverlay;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What was found of a ShardCluster, what is being done, and what somebody should do next. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
@SchemaCustomizer(value = SchemaOverlay.class, input = """
                properties:
                  shards: {x-kubernetes-map-type: atomic}
                  blockedBy: {x-kubernetes-list-type: atomic}
                  conditions: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type]}
                """)
public record ShardClusterStatus(
        @JsonPropertyDescription("Generation of the spec that this status is about.")
        Long observedGeneration,

        @JsonPropertyDescription("Number of shards in the spec.") @Min(0)
        Integer shardCount,

        @JsonPropertyDescription(
                "What was found, by shard name; a shard that left the spec stays while it owns buckets.")
        @Size(max = 1000)
        Map<String, ShardFinding> shards,

        @JsonPropertyDescription("The table that is published, and who has acknowledged it.")
        Routing routing,

        @JsonPropertyDescription("The one maintenance action that holds the cluster.")
        Activity activity,

        @JsonPropertyDescription("Who is waited for.") @Size(max = Blocker.MAX)
        List<Blocker> blockedBy,

        @JsonPropertyDescription("What somebody should do next; empty when nothing is needed.") @Size(max = 1024)
        String nextAction,

        @JsonPropertyDescription("What works, and what was tested against which server, by capability.") @Size(max = 64)
        Map<String, @Size(max = 256) String> capabilities,

        @JsonPropertyDescription("Accepted, Reachable, FenceInstalled, Balanced, Progressing and Ready.")
        @Size(max = 16)
        List<Condition> conditions) {
    public ShardClusterStatus {
        shards = shards == null ? Map.of() : Collections.unmodifiableSortedMap(new TreeMap<>(shards));
        blockedBy = blockedBy == null ? List.of() : List.copyOf(blockedBy);
        capabilities = capabilities == null ? Map.of() : Collections.unmodifiableSortedMap(new TreeMap<>(capabilities));
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }

    /** One shard as it was found. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record ShardFinding(
            @JsonPropertyDescription("Ready, Draining, Drained, Refused, Unreachable or Unknown.")
            @Required
            @Size(max = 32)
            String state,

            @JsonPropertyDescription("Instance that answered as primary.") @Size(max = 63)
            String primary,

            @JsonPropertyDescription("Buckets that the shard owns by its own fence rows, as last read.")
            @Required
            @Min(0)
            Integer buckets,

            @JsonPropertyDescription(
                    "Pinned keys that the shard owns by its own fence rows, as last read; missing = none.")
            @Min(0)
            Integer pins,

            @JsonPropertyDescription("Identity of the database server; a name never comes to mean another one.")
            @Size(max = 64)
            String systemIdentifier,

            @JsonPropertyDescription("Version of the database server.") @Size(max = 64)
            String serverVersion,

            @JsonPropertyDescription("What is wrong with the shard, and what to do.") @Size(max = 1024)
            String message) {}

    /** The published table. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Routing(
            @JsonPropertyDescription("Revision of the published table.")
            Long revision,

            @JsonPropertyDescription("Who has acknowledged it.")
            Acks acked) {}

    /** What holds the cluster. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    @SchemaCustomizer(value = SchemaOverlay.class, input = "properties: {since: {format: date-time}}")
    public record Activity(
            @JsonPropertyDescription("What is being done, for people.") @Required @Size(max = 128)
            String what,

            @JsonPropertyDescription("Since when.") String since) {}
}
