package io.shardwright.crds.shardcluster;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.annotation.JsonValue;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.Map;

/** The routers of one role, pods by label. All of them must acknowledge. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record RouterGroup(
        @JsonPropertyDescription("Worker (background jobs, routed first) or Web.") @Required
        Role role,

        @JsonPropertyDescription("Selects the router pods in the namespace of the ShardCluster.") @Required
        PodSelector podSelector) {

    /** Pods that carry all of these labels. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record PodSelector(
            @JsonPropertyDescription("Labels that a pod must have, all of them.") @Required @Size(min = 1, max = 16)
            Map<String, @Size(max = 63) @Pattern("^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$") String> matchLabels) {
        public PodSelector {
            matchLabels = matchLabels == null ? Map.of() : Map.copyOf(matchLabels);
        }
    }

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
