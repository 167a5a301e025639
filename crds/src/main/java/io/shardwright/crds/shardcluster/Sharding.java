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
import io.shardwright.crds.schema.SchemaOverlay;
import java.util.List;

/** How a key becomes a bucket, and which tables carry it. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@SchemaCustomizer(value = SchemaOverlay.class, input = """
                properties:
                  tables: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [schema, name]}
                  referenceTables: {x-kubernetes-list-type: set}
                """)
@ValidationRule(
        value = "self.buckets == oldSelf.buckets",
        fieldPath = ".buckets",
        message = "buckets is immutable, it decides where every key lives: create a new ShardCluster")
@ValidationRule(
        value = "self.hash == oldSelf.hash",
        fieldPath = ".hash",
        message = "hash is immutable, it decides where every key lives: create a new ShardCluster")
@ValidationRule(
        value = "self.keyType == oldSelf.keyType",
        fieldPath = ".keyType",
        message = "keyType is immutable, it decides where every key lives: create a new ShardCluster")
@ValidationRule(
        value = "self.hash != 'Modulo' || self.keyType == 'Int64'",
        fieldPath = ".hash",
        message = "hash Modulo needs keyType Int64: use MD5 for other keys")
@ValidationRule(
        value = """
                self.tables == oldSelf.tables || oldSelf.tables.all(t,
                self.tables.exists(n, n.name == t.name && n.schema == t.schema && n.shardKey == t.shardKey))""",
        fieldPath = ".tables",
        message = "tables are append-only: put back every table with its schema and shardKey")
@ValidationRule(
        value = "!has(self.referenceTables) || self.tables.all(t, !(t.name in self.referenceTables))",
        fieldPath = ".referenceTables",
        message = "a table is either sharded or a reference table: remove it from one of the lists")
public record Sharding(
        @JsonPropertyDescription("Number of buckets, 1 to 65536. Immutable.") @Required @Min(1) @Max(65536)
        Integer buckets,

        @JsonPropertyDescription(
                "MD5 spreads keys; Modulo (keyType Int64 only) adopts a layout of key % N in place when buckets is a"
                        + " multiple of N. Immutable.")
        @Default("MD5")
        Hash hash,

        @JsonPropertyDescription("Type of the shard key: Int64, String or UUID. Immutable.") @Required
        KeyType keyType,

        @JsonPropertyDescription("The sharded tables, co-located by their shard keys. Append-only.")
        @Required
        @Size(min = 1, max = Sharding.TABLES_MAX)
        List<Table> tables,

        @JsonPropertyDescription("Tables with the same content on every shard; they are compared, never copied.")
        @Size(max = Sharding.TABLES_MAX)
        List<@Size(min = 1, max = 63) @Pattern(Sharding.IDENTIFIER) String> referenceTables) {
    static final int TABLES_MAX = 128;
    static final String IDENTIFIER = "^[^\\x00-\\x1f\\x7f]+$";

    public Sharding {
        hash = hash == null ? Hash.MD5 : hash;
        tables = tables == null ? List.of() : List.copyOf(tables);
        referenceTables = referenceTables == null ? List.of() : List.copyOf(referenceTables);
    }

    /** A sharded table; identifiers are taken as they are, case included. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Table(
            @JsonPropertyDescription("Name of the table.") @Required @Size(min = 1, max = 63) @Pattern(IDENTIFIER)
            String name,

            @JsonPropertyDescription("Schema of the table.")
            @Default("public")
            @Size(min = 1, max = 63)
            @Pattern(IDENTIFIER)
            String schema,

            @JsonPropertyDescription(
                    "Column that holds the shard key; a part of the primary key and of every unique index.")
            @Required
            @Size(min = 1, max = 63)
            @Pattern(IDENTIFIER)
            String shardKey) {
        public Table {
            schema = schema == null ? "public" : schema;
        }
    }

    /** How a key becomes a bucket. */
    public enum Hash {
        MD5("MD5"),
        MODULO("Modulo");

        private final String wire;

        Hash(String wire) {
            this.wire = wire;
        }

        @JsonValue
        public String wire() {
            return wire;
        }
    }

    /** How a key is written. */
    public enum KeyType {
        INT64("Int64"),
        STRING("String"),
        UUID("UUID");

        private final String wire;

        KeyType(String wire) {
            this.wire = wire;
        }

        @JsonValue
        public String wire() {
            return wire;
        }
    }
}
