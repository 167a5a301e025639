package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The buckets of one switch, each with the epoch that it has on the source before its fence. */
record GroupEpochs(SortedMap<Integer, Long> before) {
    static final GroupEpochs NONE = new GroupEpochs(new TreeMap<>());

    GroupEpochs {
        before = Collections.unmodifiableSortedMap(new TreeMap<>(before));
    }

    SortedSet<Integer> buckets() {
        return new TreeSet<>(before.keySet());
    }

    int size() {
        return before.size();
    }

    /** Epochs on the new owner. */
    SortedMap<Integer, Long> after() {
        SortedMap<Integer, Long> after = new TreeMap<>();
        before.forEach((bucket, epoch) -> after.put(bucket, epoch + 1));
        return after;
    }

    Array scopes(Connection connection) throws SQLException {
        return FenceRows.scopes(connection, before.keySet());
    }

    Array epochs(Connection connection) throws SQLException {
        return connection.createArrayOf("int8", before.values().toArray());
    }
}
