package io.shardwright.crds.routingtable;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.shardwright.crds.Names;
import io.shardwright.crds.schema.SchemaOverlay;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The document of the routing contract, field by field; words are text here, because the contract is text. Numbers are
 * integers below 2^53, so that every language reads them.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@SchemaCustomizer(value = SchemaOverlay.class, input = """
                properties:
                  revision: {format: int64}
                  incarnation: {format: int64}
                  writerEpoch: {format: int64}
                  engine: {enum: [PostgreSQL]}
                  hash: {enum: [MD5, Modulo]}
                  keyType: {enum: [Int64, String, UUID]}
                  pins: {x-kubernetes-map-type: atomic}
                  handovers: {x-kubernetes-list-type: atomic}
                  shards: {x-kubernetes-map-type: atomic}
                """)
@ValidationRule(
        value = """
                self.incarnation > oldSelf.incarnation
                || (self.writerEpoch >= oldSelf.writerEpoch && self.writerEpoch <= oldSelf.writerEpoch + 1)""",
        fieldPath = ".writerEpoch",
        message = "T2: writerEpoch stays or grows by 1: when another operator has taken over, this one must end")
@ValidationRule(
        value = """
                self.revision == oldSelf.revision + 1 || (self.revision == oldSelf.revision
                && self.incarnation == oldSelf.incarnation
                && self.cluster == oldSelf.cluster
                && self.engine == oldSelf.engine
                && self.buckets == oldSelf.buckets
                && self.hash == oldSelf.hash
                && self.keyType == oldSelf.keyType
                && self.bucketMap == oldSelf.bucketMap
                && self.epochs == oldSelf.epochs
                && self.pins == oldSelf.pins
                && self.handovers == oldSelf.handovers
                && self.shards == oldSelf.shards)""",
        fieldPath = ".revision",
        message =
                "T3: every change but writerEpoch needs revision + 1, and only + 1: read the table again and write on top of it")
@ValidationRule(
        value = "self.handovers.all(h, !('web' in h.visibleTo) || 'worker' in h.visibleTo)",
        fieldPath = ".handovers",
        message = "T9: a handover becomes visible to workers first, then to web: add worker")
@ValidationRule(value = """
                self.cluster == oldSelf.cluster && self.engine == oldSelf.engine && self.buckets == oldSelf.buckets
                && self.hash == oldSelf.hash && self.keyType == oldSelf.keyType""", message = "T11: cluster, engine, buckets, hash and keyType never change: put them back")
@ValidationRule(
        value = "self.incarnation >= oldSelf.incarnation",
        fieldPath = ".incarnation",
        message = "T12: incarnation must not shrink: read the table again and write on top of it")
@ValidationRule(
        value = "self.handovers.all(h, h.to in self.shards)",
        fieldPath = ".handovers",
        message = "a handover leads to a shard that is not in the table: add it to shards")
@ValidationRule(
        value = "self.handovers.all(h, !has(h.buckets) || h.buckets.all(b, b.bucket < self.buckets))",
        fieldPath = ".handovers",
        message = "a handover names a bucket that the cluster does not have: buckets count from 0 to buckets - 1")
public record RoutingTableSpec(
        @JsonPropertyDescription("Grows by 1 with every change of anything else; never reused.")
        @Required
        @Min(1)
        @Max(RoutingTableSpec.SAFE_INTEGER)
        Long revision,

        @JsonPropertyDescription(
                "Grows when history was lost: when the object is made again, and when a router or the mounted copy has"
                        + " a newer table than the stored one, as after a restore of etcd.")
        @Required
        @Min(1)
        @Max(RoutingTableSpec.SAFE_INTEGER)
        Long incarnation,

        @JsonPropertyDescription("Term of the operator that wrote it; a smaller one is refused.")
        @Required
        @Min(0)
        @Max(RoutingTableSpec.SAFE_INTEGER)
        Long writerEpoch,

        @JsonPropertyDescription("Name of the ShardCluster. Immutable.")
        @Required
        @Size(min = 1, max = Names.CLUSTER_MAX)
        @Pattern(Names.DNS_LABEL)
        String cluster,

        @JsonPropertyDescription("Engine of the shards. Immutable.") @Required
        String engine,

        @JsonPropertyDescription("Number of buckets. Immutable.") @Required @Min(1) @Max(65536)
        Integer buckets,

        @JsonPropertyDescription("MD5 or Modulo. Immutable.") @Required
        String hash,

        @JsonPropertyDescription("Int64, String or UUID. Immutable.") @Required
        String keyType,

        @JsonPropertyDescription(
                "Owner of each bucket in runs, like ds-0*25,ds-1*25; covers every bucket once. A string, because the"
                        + " API server walks lists item by item.")
        @Required
        @Size(min = 3, max = 1048576)
        @Pattern("^[a-z]([-a-z0-9]*[a-z0-9])?\\*[1-9][0-9]*(,[a-z]([-a-z0-9]*[a-z0-9])?\\*[1-9][0-9]*)*$")
        String bucketMap,

        @JsonPropertyDescription(
                "Fence epoch of each bucket in runs, like 1*100; the higher epoch wins over this table.")
        @Required
        @Size(min = 3, max = 1048576)
        @Pattern("^[1-9][0-9]*\\*[1-9][0-9]*(,[1-9][0-9]*\\*[1-9][0-9]*)*$")
        String epochs,

        @JsonPropertyDescription("Shard of each pinned key, by canonical key text; looked up before the hash.")
        @Default("{}")
        @Size(max = 10000)
        Map<String, @Size(min = 1, max = Names.SHARD_MAX) @Pattern(Names.DNS_LABEL) String> pins,

        @JsonPropertyDescription("Switch groups that are being announced or published.")
        @Default("[]")
        @Size(max = 4096)
        List<Handover> handovers,

        @JsonPropertyDescription("Every shard that map, pins and handovers name.") @Required @Size(min = 1, max = 1024)
        Map<String, Shard> shards) {
    /** 2^53 - 1, the largest integer that every JSON reader keeps. */
    static final double SAFE_INTEGER = 9007199254740991d;

    public RoutingTableSpec {
        pins = sorted(pins);
        handovers = handovers == null ? List.of() : List.copyOf(handovers);
        shards = sorted(shards);
    }

    private static <T> SortedMap<String, T> sorted(Map<String, T> map) {
        return Collections.unmodifiableSortedMap(map == null ? new TreeMap<>() : new TreeMap<>(map));
    }

    /** One switch group on its way to its new owner. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    @SchemaCustomizer(value = SchemaOverlay.class, input = """
                    properties:
                      visibleTo: {x-kubernetes-list-type: set, items: {enum: [worker, web]}}
                      buckets: {x-kubernetes-list-type: atomic}
                      keys: {x-kubernetes-list-type: atomic}
                    """)
    @ValidationRule(
            value = "has(self.buckets) != has(self.keys)",
            fieldPath = ".buckets",
            message = "a handover is one of buckets or one of keys: write exactly one of the two")
    public record Handover(
            @JsonPropertyDescription("The buckets of the group; missing when it is one of keys.")
            @JsonInclude(JsonInclude.Include.NON_EMPTY)
            @Size(min = 1, max = 16)
            List<BucketEpoch> buckets,

            @JsonPropertyDescription("The keys of the group, which go before pins; missing when it is one of buckets.")
            @JsonInclude(JsonInclude.Include.NON_EMPTY)
            @Size(min = 1, max = 16)
            List<KeyEpoch> keys,

            @JsonPropertyDescription("The new owner.")
            @Required
            @Size(min = 1, max = Names.SHARD_MAX)
            @Pattern(Names.DNS_LABEL)
            String to,

            @JsonPropertyDescription("Roles that already route by it: none, worker, or worker and web.")
            @Default("[]")
            @Size(max = 2)
            List<String> visibleTo) {
        public Handover {
            buckets = buckets == null ? List.of() : List.copyOf(buckets);
            keys = keys == null ? List.of() : List.copyOf(keys);
            visibleTo = visibleTo == null ? List.of() : List.copyOf(visibleTo);
        }
    }

    /** A bucket with the fence epoch that it has, or will have, on the new owner. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @SchemaCustomizer(value = SchemaOverlay.class, input = "properties: {epoch: {format: int64}}")
    public record BucketEpoch(
            @JsonPropertyDescription("Bucket, 0 to buckets - 1.") @Required @Min(0) @Max(65535)
            Integer bucket,

            @JsonPropertyDescription("Fence epoch on the new owner.") @Required @Min(1) @Max(SAFE_INTEGER)
            Long epoch) {}

    /** A key with the fence epoch that it has, or will have, on the new owner. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @SchemaCustomizer(value = SchemaOverlay.class, input = "properties: {epoch: {format: int64}}")
    public record KeyEpoch(
            @JsonPropertyDescription("Canonical text of the key.") @Required @Size(min = 1, max = Names.KEY_MAX)
            String key,

            @JsonPropertyDescription("Fence epoch on the new owner.") @Required @Min(1) @Max(SAFE_INTEGER)
            Long epoch) {}

    /** A shard as routers see it. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @SchemaCustomizer(value = SchemaOverlay.class, input = "properties: {role: {enum: [General, Dedicated]}}")
    public record Shard(
            @JsonPropertyDescription("General or Dedicated.") @Required
            String role,

            @JsonPropertyDescription("Where the primary listens.") @Required
            Endpoint primary) {}

    /** Where a server listens. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Endpoint(
            @JsonPropertyDescription("Host name or IP address.") @Required @Size(min = 1, max = 253)
            String host,

            @JsonPropertyDescription("TCP port.") @Required @Min(1) @Max(65535)
            Integer port) {}
}
