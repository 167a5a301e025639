package io.shardwright.crds.shardpolicy;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.shardwright.crds.Condition;
import io.shardwright.crds.Durations;
import io.shardwright.crds.Names;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.crds.schema.SchemaOverlay;
import java.util.List;

/** The plan as it is now, and whether it may run. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
@SchemaCustomizer(value = SchemaOverlay.class, input = """
                properties:
                  hotKeys: {x-kubernetes-list-type: atomic}
                  conditions: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type]}
                """)
public record ShardPolicyStatus(
        @JsonPropertyDescription("Generation of the spec that this status is about.")
        Long observedGeneration,

        @JsonPropertyDescription("What would move, or moves; missing when nothing has to move.")
        Plan plan,

        @JsonPropertyDescription(
                "The plan whose moves were made last. They are not made again, also when somebody deletes them, before it is approved"
                        + " anew.")
        Made made,

        @JsonPropertyDescription(
                "Keys that detection has found, and keys that have a shard of their own by the routing table; the first 1000, detected ones"
                        + " before others and then by key.")
        @Size(max = ShardPolicyStatus.HOT_KEYS_MAX)
        List<HotKey> hotKeys,

        @JsonPropertyDescription("What somebody should do next; empty when nothing is needed.") @Size(max = 1024)
        String nextAction,

        @JsonPropertyDescription("Accepted, ResolvedRefs, PlanApproved and InBalance.") @Size(max = 16)
        List<Condition> conditions) {
    public static final int HOT_KEYS_MAX = 1000;

    public ShardPolicyStatus {
        hotKeys = hotKeys == null ? List.of() : List.copyOf(hotKeys);
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }

    /** A plan: a pure function of topology, weights, bucket map and pins; its hash covers exactly these. */
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    @JsonIgnoreProperties(ignoreUnknown = true)
    @SchemaCustomizer(value = SchemaOverlay.class, input = """
                    properties:
                      createdAt: {format: date-time}
                      moves: {x-kubernetes-list-type: atomic}
                      reasons: {x-kubernetes-list-type: atomic}
                    """)
    public record Plan(
            @JsonPropertyDescription("Names the plan; goes into rebalancing.approvedPlan.") @Required @Size(max = 128)
            String hash,

            @JsonPropertyDescription("When this plan was seen first.")
            String createdAt,

            @JsonPropertyDescription("The moves, one for each pair of shards; of keys, or of buckets.")
            @Size(max = 1024)
            List<PlannedMove> moves,

            @JsonPropertyDescription("Share of all buckets that moves.") @Size(max = 16)
            String movedShare,

            @JsonPropertyDescription("Smallest share that any plan to the same balance would move.") @Size(max = 16)
            String lowerBound,

            @JsonPropertyDescription("Fullest shard over its share, before.") @Size(max = 16)
            String imbalanceBefore,

            @JsonPropertyDescription("Fullest shard over its share, after.") @Size(max = 16)
            String imbalanceAfter,

            @JsonPropertyDescription("Why these moves.") @Size(max = 32)
            List<@Size(max = 256) String> reasons) {
        public Plan {
            moves = moves == null ? List.of() : List.copyOf(moves);
            reasons = reasons == null ? List.of() : List.copyOf(reasons);
        }
    }

    /** The making of the moves of a plan: each approval is good for one. */
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Made(
            @JsonPropertyDescription("Hash of the plan.") @Required @Size(max = 128)
            String hash,

            @JsonPropertyDescription(
                    "rebalancing.approvedPlan as it was seen since: when it becomes the hash anew, the plan may run again.")
            @Size(max = 128)
            String approvedPlan) {
        public Made {
            approvedPlan = approvedPlan == null ? "" : approvedPlan;
        }
    }

    /** One key that has a shard of its own, or that is found to be hot. */
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    @JsonIgnoreProperties(ignoreUnknown = true)
    @SchemaCustomizer(value = SchemaOverlay.class, input = """
                    properties:
                      state: {enum: [Candidate, Proposed, Pinned, CoolingDown]}
                      since: {format: date-time}
                    """)
    public record HotKey(
            @JsonPropertyDescription("The key, or its SHA-256 with hashKeys.") @Required @Size(max = Names.KEY_MAX)
            String key,

            @JsonPropertyDescription("Shard that serves it.") @Required @Size(max = Names.SHARD_MAX)
            String shard,

            @JsonPropertyDescription(
                    "When it came into its state; of a pin of the spec, when it was seen on its shard first.")
            @Required
            String since,

            @JsonPropertyDescription(
                    "Candidate: hot, and not proposed, for the reason given. Proposed: its move is a part of the plan. Pinned: the key"
                            + " is on that shard, and routers are told so. CoolingDown: it would be cold at home; after the cooldown"
                            + " the plan takes it there.")
            @Required
            String state,

            @JsonPropertyDescription(
                    "True: detection put it here, and this entry is its memory: a detected key that is missing here is planned home."
                            + " Missing: a pin of the spec.")
            Boolean detected,

            @JsonPropertyDescription("Why it is in its state, in one word of docs/hot-keys.md.") @Size(max = 64)
            String reason,

            @JsonPropertyDescription("Dedicated shard that detection chose for it.") @Size(max = Names.SHARD_MAX)
            String target,

            @JsonPropertyDescription("Shard that it was hot on when it was moved.") @Size(max = Names.SHARD_MAX)
            String formerShard,

            @JsonPropertyDescription(
                    "Of the requests to its shard over the window: at least so many are for it, and of a key on its target at most so"
                            + " many would be at home. It is written anew when it has moved by 5 points.")
            @Size(max = 8)
            String share,

            @JsonPropertyDescription(
                    "95th percentile of the latency of other keys on the shard, over the window in which it was proposed.")
            @Size(max = 16)
            @Pattern(Durations.PATTERN)
            String neighbourP95Before,

            @JsonPropertyDescription(
                    "The same on its former shard, over the first whole window after the key was there no more.")
            @Size(max = 16)
            @Pattern(Durations.PATTERN)
            String neighbourP95After) {
        public static final String PINNED = "Pinned";

        /** A key that is pinned by the spec. */
        public HotKey(String key, String shard, String since, String state) {
            this(key, shard, since, state, null, null, null, null, null, null, null);
        }

        /** Detection put it here. */
        @JsonIgnore
        public boolean isDetected() {
            return Boolean.TRUE.equals(detected);
        }
    }

    /** One move of a plan: of buckets, or of keys. */
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    @JsonIgnoreProperties(ignoreUnknown = true)
    @SchemaCustomizer(value = SchemaOverlay.class, input = """
                    properties:
                      buckets: {x-kubernetes-list-type: atomic}
                      keys: {x-kubernetes-list-type: atomic}
                    """)
    public record PlannedMove(
            @JsonPropertyDescription("Shard that gives.") @Required @Size(max = Names.SHARD_MAX)
            String from,

            @JsonPropertyDescription("Shard that takes.") @Required @Size(max = Names.SHARD_MAX)
            String to,

            @JsonPropertyDescription("Buckets that move; missing in a move of keys.") @Size(min = 1, max = 4096)
            List<@Min(0) @Max(65535) Integer> buckets,

            @JsonPropertyDescription("Keys that move, or their SHA-256 with hashKeys; missing in a move of buckets.")
            @Size(min = 1, max = BucketMoveSpec.KEYS_MAX)
            List<@Size(max = Names.KEY_MAX) String> keys) {
        public PlannedMove {
            buckets = buckets == null ? List.of() : List.copyOf(buckets);
            keys = keys == null ? List.of() : List.copyOf(keys);
        }
    }
}
