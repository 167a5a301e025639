package io.shardwright.dataplane.postgres.move.keys;

import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/** Keys under the rows of their buckets: what one hold of a bucket is about. */
final class KeysOfBuckets {
    private KeysOfBuckets() {}

    /** Of buckets that are owned here, ascending. */
    static Map<FenceRow, SortedSet<Scope>> owned(Connection connection, Collection<Scope> keys) throws SQLException {
        SortedMap<Scope, FenceRow> buckets = FenceRows.read(connection, Scope.buckets(Scope.bucketsOf(keys)));
        Map<FenceRow, SortedSet<Scope>> owned = new LinkedHashMap<>();
        for (Scope key : new TreeSet<>(keys)) {
            FenceRow bucket = buckets.get(key.ofBucket());
            if (bucket != null && bucket.state() == FenceState.OWNED) {
                owned.computeIfAbsent(bucket, one -> new TreeSet<>()).add(key);
            }
        }
        return owned;
    }
}
