package io.shardwright.crds.shardpolicy;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.shardwright.crds.ClusterRef;
import io.shardwright.crds.Durations;

/** What is tolerated. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
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

        @JsonPropertyDescription(
                "How long a revision is given to be acknowledged before status and events name who is missing. Nothing"
                        + " goes on without them.")
        @Default("10s")
        @Size(max = 16)
        @Pattern(Durations.PATTERN)
        String handoverTimeout) {
    public ShardPolicySpec {
        rebalancing = rebalancing == null ? Rebalancing.defaults() : rebalancing;
        handoverTimeout = handoverTimeout == null ? "10s" : handoverTimeout;
    }

    @ValidationRule(
            value = "duration(self) >= duration('1s') && duration(self) <= duration('10m')",
            message = "handoverTimeout must be between 1s and 10m")
    public String handoverTimeout() {
        return handoverTimeout;
    }
}
