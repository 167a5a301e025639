package io.shardwright.crds.shardcluster;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.annotation.JsonValue;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.shardwright.crds.Names;
import io.shardwright.crds.schema.SchemaOverlay;
import java.util.List;
import java.util.Map;

/** The routers of one role: pods by label, and declared ones outside of the cluster. All of them must acknowledge. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@SchemaCustomizer(
        value = SchemaOverlay.class,
        input = "properties: {external: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]}}")
@ValidationRule(
        value = "has(self.podSelector) || (has(self.external) && self.external.size() > 0)",
        message = "say who routes: give podSelector, external, or both")
public record RouterGroup(
        @JsonPropertyDescription("Worker (background jobs, routed first) or Web.") @Required
        Role role,

        @JsonPropertyDescription("Selects the router pods in the namespace of the ShardCluster.")
        PodSelector podSelector,

        @JsonPropertyDescription("Routers outside of the cluster.") @Size(max = 100)
        List<External> external) {
    public RouterGroup {
        external = external == null ? List.of() : List.copyOf(external);
    }

    /** Pods that carry all of these labels. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record PodSelector(
            @JsonPropertyDescription("Labels that a pod must have, all of them.") @Required @Size(min = 1, max = 16)
            Map<String, @Size(max = 63) @Pattern("^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$") String> matchLabels) {
        public PodSelector {
            matchLabels = matchLabels == null ? Map.of() : Map.copyOf(matchLabels);
        }
    }

    /** A router that is no pod; it acknowledges under its name with a token of its ServiceAccount. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record External(
            @JsonPropertyDescription("Instance name that the router acknowledges with.")
            @Required
            @Size(min = 1, max = 63)
            @Pattern(Names.DNS_LABEL)
            String name,

            @JsonPropertyDescription("ServiceAccount of the same namespace whose token it presents.")
            @Required
            @Size(min = 1, max = 253)
            @Pattern("^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")
            String serviceAccountName) {}

    /** What kind of process routes; changes reach workers before web processes. */
    public enum Role {
        WORKER("Worker"),
        WEB("Web");

        private final String wire;

        Role(String wire) {
            this.wire = wire;
        }

        @JsonValue
        public String wire() {
            return wire;
        }
    }
}
