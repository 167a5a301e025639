package io.shardwright.crds.shardcluster;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.shardwright.crds.schema.SchemaOverlay;
import java.util.List;
import java.util.Optional;

/** What a team declares about its shards. Everything that decides where a key lives is immutable. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@SchemaCustomizer(value = SchemaOverlay.class, input = """
                properties:
                  shards: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]}
                  routers: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [role]}
                """)
@ValidationRule(
        value = "self.engine == oldSelf.engine",
        fieldPath = ".engine",
        message = "engine is immutable: create a new ShardCluster")
@ValidationRule(
        value = "self.database == oldSelf.database",
        fieldPath = ".database",
        message = "database is immutable, it would lead to other data: create a new ShardCluster")
@ValidationRule(
        value = "self.shards.exists(s, s.role == 'General' && s.weight > 0)",
        fieldPath = ".shards",
        message = "at least one General shard needs a weight above 0: somebody must own the buckets")
public record ShardClusterSpec(
        @JsonPropertyDescription("Kind of database behind every shard. Immutable.") @Required
        Engine engine,

        @JsonPropertyDescription("Name of the database on every shard. Immutable.")
        @Required
        @Size(min = 1, max = 63)
        @Pattern("^[^\\x00-\\x1f\\x7f]+$")
        String database,

        @JsonPropertyDescription("How keys become buckets, and the tables that are sharded.") @Required
        Sharding sharding,

        @JsonPropertyDescription("The shards, by name.") @Required @Size(min = 1, max = 1000)
        List<Shard> shards,

        @JsonPropertyDescription("Logins and encryption of the connections to the databases.") @Required
        Access access,

        @JsonPropertyDescription("Who routes by the table and must acknowledge it, at most one entry for each role.")
        @Required
        @Size(min = 1, max = 2)
        List<RouterGroup> routers,

        @JsonPropertyDescription("True: no new action of any kind; looking and publishing go on.") @Default("false")
        Boolean suspend) {
    public ShardClusterSpec {
        shards = shards == null ? List.of() : List.copyOf(shards);
        routers = routers == null ? List.of() : List.copyOf(routers);
        suspend = suspend != null && suspend;
    }

    public Optional<Shard> shard(String name) {
        return shards.stream().filter(shard -> shard.name().equals(name)).findFirst();
    }
}
