package io.shardwright.dataplane.postgres.move.apply;

import io.shardwright.dataplane.postgres.move.stream.Relation;
import io.shardwright.dataplane.postgres.move.stream.Tuple;
import io.shardwright.dataplane.postgres.move.tables.MovedTable;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardKey;
import java.util.List;

/**
 * A relation of the stream and what it is to the move.
 *
 * @param table null unless use is MOVED
 * @param keyColumns places of the primary key
 * @param shardKey place of the shard key
 */
record StreamedTable(
        Use use,
        Relation relation,
        MovedTable table,
        int[] keyColumns,
        int shardKey,
        KeyType keyType,
        Bucketing bucketing) {
    enum Use {
        MOVED,
        FENCE,
        HEARTBEAT,
        /** how far movers are; what begins with it is a mover's */
        PROGRESS,
        IGNORED
    }

    ShardKey shardKey(Tuple row) {
        return ShardKey.of(keyType, row.at(shardKey).text());
    }

    /** @param ofKeys whether keys travel, or buckets */
    Scope scopeOf(Tuple row, boolean ofKeys) {
        ShardKey key = shardKey(row);
        return ofKeys ? Scope.of(key, bucketing) : Scope.bucket(bucketing.bucketOf(key));
    }

    List<String> key(Tuple row) {
        return key(row, null);
    }

    /** @param old has the parts of a key that are stored out of line and did not change; may be null */
    List<String> key(Tuple row, Tuple old) {
        String[] key = new String[keyColumns.length];
        for (int i = 0; i < key.length; i++) {
            Tuple.Value value = row.at(keyColumns[i]);
            key[i] = (value.kind() == Tuple.Kind.UNCHANGED && old != null ? old.at(keyColumns[i]) : value).text();
        }
        return List.of(key);
    }
}
