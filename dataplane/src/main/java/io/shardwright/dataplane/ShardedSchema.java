package io.shardwright.dataplane;

import io.shardwright.routing.Bucketing;
import io.shardwright.routing.KeyType;
import java.util.List;

/** The co-located tables of a cluster, the same on every shard, in declared order. */
public record ShardedSchema(KeyType keyType, Bucketing bucketing, List<Table> tables, List<String> referenceTables) {
    public ShardedSchema {
        tables = List.copyOf(tables);
        referenceTables = List.copyOf(referenceTables);
    }

    /** @param schema default {@code public} */
    public record Table(String schema, String name, String shardKey) {}
}
