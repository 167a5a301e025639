package io.shardwright.crds.shardcluster;

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
import io.shardwright.crds.ByteSize;
import io.shardwright.crds.Names;
import io.shardwright.crds.schema.SchemaOverlay;
import java.util.List;

/**
 * One shard: a database with all its instances. Its name stands for that database for ever. The instances are an atomic list:
 * as a list map, the field management data of 9,000 of them would take an object to its size limit (measured).
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@SchemaCustomizer(value = SchemaOverlay.class, input = "properties: {instances: {x-kubernetes-list-type: atomic}}")
@ValidationRule(
        value = """
                (oldSelf.hasValue() && self.instances == oldSelf.value().instances)
                || self.instances.all(i, self.instances.exists_one(j, i.name == j.name))""",
        optionalOldSelf = true,
        fieldPath = ".instances",
        message = "two instances have the same name: give each its own")
@ValidationRule(
        value = """
                (oldSelf.hasValue() && self.instances == oldSelf.value().instances)
                || self.instances.all(i, self.instances.exists_one(j, i.host == j.host && i.port == j.port))""",
        optionalOldSelf = true,
        fieldPath = ".instances",
        message = "two instances have the same host and port: name each server once")
public record Shard(
        @JsonPropertyDescription("Name of the shard, a DNS label; never reused for another database.")
        @Required
        @Size(min = 1, max = Names.SHARD_MAX)
        @Pattern(Names.DNS_LABEL)
        String name,

        @JsonPropertyDescription("General shards take buckets; Dedicated shards serve pinned keys only.")
        @Default("General")
        Role role,

        @JsonPropertyDescription(
                "Share of the buckets relative to the other General shards, 0 to 1000; 0 drains the shard.")
        @Default("100")
        @Min(0)
        @Max(1000)
        Integer weight,

        @JsonPropertyDescription(
                "What the database of this shard may grow to. A move here is refused when it would not fit with a fifth to spare, and"
                        + " waits when it is full; without it nobody checks.")
        @Size(max = 20)
        @Pattern(ByteSize.PATTERN)
        String capacity,

        @JsonPropertyDescription("All servers of the shard; the primary is discovered, never declared.")
        @Required
        @Size(min = 1, max = 9)
        List<Instance> instances) {
    public Shard {
        role = role == null ? Role.GENERAL : role;
        weight = weight == null ? 100 : weight;
        instances = instances == null ? List.of() : List.copyOf(instances);
    }

    /** One database server. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Instance(
            @JsonPropertyDescription("Name of the instance inside its shard.")
            @Required
            @Size(min = 1, max = 63)
            @Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
            String name,

            @JsonPropertyDescription("Host name or IP address; a server, never a pooler.")
            @Required
            @Size(min = 1, max = 253)
            @Pattern("^[A-Za-z0-9]([-A-Za-z0-9.:_]*[A-Za-z0-9])?$")
            String host,

            @JsonPropertyDescription("TCP port, 1 to 65535.") @Required @Min(1) @Max(65535)
            Integer port) {}

    /** What a shard is for. */
    public enum Role {
        GENERAL("General"),
        DEDICATED("Dedicated");

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
