package io.shardwright.crds.routingtable;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.shardwright.crds.Acks;
import io.shardwright.crds.schema.SchemaOverlay;
import java.util.List;

/** Who routes by this table. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
@SchemaCustomizer(value = SchemaOverlay.class, input = "properties: {missing: {x-kubernetes-list-type: atomic}}")
public record RoutingTableStatus(
        @JsonPropertyDescription("Generation of the spec that this status is about.")
        Long observedGeneration,

        @JsonPropertyDescription("Who has acknowledged the revision.")
        Acks acked,

        @JsonPropertyDescription(
                "Routers that have not acknowledged the revision: ten by name, then how many more. A live router that is not named"
                        + " has acknowledged it, unless some are only counted.")
        @Size(max = RoutingTableStatus.MISSING_MAX)
        List<Missing> missing) {
    /** Ten names and one count. */
    public static final int MISSING_MAX = 11;

    public static final int NAME_MAX = 300;

    public RoutingTableStatus {
        missing = missing == null ? List.of() : List.copyOf(missing);
    }

    /** One that is waited for. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Missing(
            @JsonPropertyDescription("Pod and role, as orders-web-7 (web); or how many more there are.")
            @Required
            @Size(min = 1, max = RoutingTableStatus.NAME_MAX)
            String name,

            @JsonPropertyDescription("What was seen of it, its revision if it is at an older one, and what to do.")
            @Required
            @Size(min = 1, max = 1024)
            String reason) {}
}
