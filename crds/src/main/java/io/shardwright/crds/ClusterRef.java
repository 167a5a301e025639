package io.shardwright.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** Names the ShardCluster that an object belongs to; always one of the same namespace. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record ClusterRef(
        @JsonPropertyDescription("Name of a ShardCluster in the same namespace.")
        @Required
        @Size(min = 1, max = Names.CLUSTER_MAX)
        @Pattern(Names.DNS_LABEL)
        String name) {}
