package io.shardwright.crds.bucketmove;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.annotation.JsonValue;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.shardwright.crds.ClusterRef;
import io.shardwright.crds.Durations;
import io.shardwright.crds.Names;
import io.shardwright.crds.schema.SchemaOverlay;
import java.util.List;

/** What moves. Immutable but for the intent. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@SchemaCustomizer(value = SchemaOverlay.class, input = """
                properties:
                  buckets: {x-kubernetes-list-type: set}
                  keys: {x-kubernetes-list-type: set}
                """)
@ValidationRule(
        value = "has(self.buckets) != has(self.keys)",
        fieldPath = ".buckets",
        message = "a move carries buckets or keys: write exactly one of the two")
@ValidationRule(
        value = "self.from != self.to",
        fieldPath = ".to",
        message = "from and to are the same shard: name another target")
@ValidationRule(
        value = "self.clusterRef == oldSelf.clusterRef",
        fieldPath = ".clusterRef",
        message = "clusterRef is immutable: set intent to Abort and create a new BucketMove")
@ValidationRule(
        value = "self.from == oldSelf.from",
        fieldPath = ".from",
        message = "from is immutable: set intent to Abort and create a new BucketMove")
@ValidationRule(
        value = "self.to == oldSelf.to",
        fieldPath = ".to",
        message = "to is immutable: set intent to Abort and create a new BucketMove")
@ValidationRule(
        value = "has(self.buckets) == has(oldSelf.buckets) && (!has(self.buckets) || self.buckets == oldSelf.buckets)",
        fieldPath = ".buckets",
        message = "buckets is immutable: set intent to Abort and create a new BucketMove")
@ValidationRule(
        value = "has(self.keys) == has(oldSelf.keys) && (!has(self.keys) || self.keys == oldSelf.keys)",
        fieldPath = ".keys",
        message = "keys is immutable: set intent to Abort and create a new BucketMove")
@ValidationRule(
        value = "has(self.soak) == has(oldSelf.soak) && (!has(self.soak) || self.soak == oldSelf.soak)",
        fieldPath = ".soak",
        message =
                "soak is immutable: set intent to Complete to end it early, to Pause to keep the move reversible for longer")
@ValidationRule(
        value =
                "has(self.writeHoldBudget) == has(oldSelf.writeHoldBudget) && (!has(self.writeHoldBudget) || self.writeHoldBudget == oldSelf.writeHoldBudget)",
        fieldPath = ".writeHoldBudget",
        message = "writeHoldBudget is immutable: set intent to Abort and create a new BucketMove")
public record BucketMoveSpec(
        @JsonPropertyDescription("The ShardCluster that the shards belong to. Immutable.") @Required
        ClusterRef clusterRef,

        @JsonPropertyDescription("Shard that owns them now. Immutable.")
        @Required
        @Size(min = 1, max = Names.SHARD_MAX)
        @Pattern(Names.DNS_LABEL)
        String from,

        @JsonPropertyDescription("Shard that will own them. Immutable.")
        @Required
        @Size(min = 1, max = Names.SHARD_MAX)
        @Pattern(Names.DNS_LABEL)
        String to,

        @JsonPropertyDescription("Buckets that move together, each once; or keys. Immutable.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        @Size(min = 1, max = 4096)
        List<@Min(0) @Max(65535) Integer> buckets,

        @JsonPropertyDescription(
                "Keys that move together, each once, in canonical text: to a Dedicated shard, or back to the shard that owns"
                        + " their bucket. Immutable.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        @Size(min = 1, max = BucketMoveSpec.KEYS_MAX)
        List<@Size(min = 1, max = Names.KEY_MAX) String> keys,

        @JsonPropertyDescription(
                "Longest pause that a switch may cause to writers, above 0 and at most 10s; default: the policy's. In a move"
                        + " that a plan made it is the policy's of that time: it holds when the policy is gone. Immutable.")
        @Size(max = 16)
        @Pattern(Durations.PATTERN)
        String writeHoldBudget,

        @JsonPropertyDescription(
                "How long the move stays reversible after the switch, 0s to 720h (30 days); default: the policy's. 0s: it is"
                        + " cleaned up as soon as every router has acknowledged. Immutable.")
        @Size(max = 16)
        @Pattern(Durations.PATTERN)
        String soak,

        @JsonPropertyDescription(
                "Run; Pause: begin no further step; Abort: take back what is not switched yet, for good; Reverse: switch"
                        + " back what was switched, until pointOfNoReturn; Complete: clean up without waiting for the end of"
                        + " the soak (setting it needs the verb complete).")
        @Default("Run")
        Intent intent) {
    /** Most keys of one move. */
    public static final int KEYS_MAX = 500;

    public BucketMoveSpec {
        buckets = buckets == null ? List.of() : List.copyOf(buckets);
        keys = keys == null ? List.of() : List.copyOf(keys);
        intent = intent == null ? Intent.RUN : intent;
    }

    @ValidationRule(
            value = "duration(self) >= duration('1ms') && duration(self) <= duration('10s')",
            message = "writeHoldBudget must be between 1ms and 10s")
    public String writeHoldBudget() {
        return writeHoldBudget;
    }

    @ValidationRule(
            value = "duration(self) >= duration('0s') && duration(self) <= duration('720h')",
            message = "soak must be between 0s and 720h")
    public String soak() {
        return soak;
    }

    public BucketMoveSpec withIntent(Intent next) {
        return new BucketMoveSpec(clusterRef, from, to, buckets, keys, writeHoldBudget, soak, next);
    }

    /** What is wanted of the move. Which change is refused when: the rules of {@link BucketMove}. */
    public enum Intent {
        RUN("Run"),
        /** Begin no further step; what is fenced or decided is finished, and the stream goes on. */
        PAUSE("Pause"),
        /** Take back what is not switched yet. */
        ABORT("Abort"),
        /** Switch back what was switched. */
        REVERSE("Reverse"),
        /** Clean up without waiting for the end of the soak. */
        COMPLETE("Complete");

        private final String wire;

        Intent(String wire) {
            this.wire = wire;
        }

        @JsonValue
        public String wire() {
            return wire;
        }
    }
}
