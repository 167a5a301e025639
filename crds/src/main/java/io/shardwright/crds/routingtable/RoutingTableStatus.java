package io.shardwright.crds.routingtable;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.shardwright.crds.Acks;

/** Who routes by this table. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RoutingTableStatus(
        @JsonPropertyDescription("Generation of the spec that this status is about.")
        Long observedGeneration,

        @JsonPropertyDescription("Who has acknowledged the revision.")
        Acks acked) {}
