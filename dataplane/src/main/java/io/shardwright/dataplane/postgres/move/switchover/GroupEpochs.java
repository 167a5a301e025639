package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.routing.Scope;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The buckets of one switch, each with the epoch that it has on the source before its fence. */
record GroupEpochs(SortedMap<Scope, Long> before) {
    static final GroupEpochs NONE = new GroupEpochs(new TreeMap<>());

    GroupEpochs {
        before = Collections.unmodifiableSortedMap(new TreeMap<>(before));
    }

    SortedSet<Scope> scopes() {
        return new TreeSet<>(before.keySet());
    }

    int size() {
        return before.size();
    }

    /** Epochs on the new owner. */
    SortedMap<Scope, Long> after() {
        SortedMap<Scope, Long> after = new TreeMap<>();
        before.forEach((scope, epoch) -> after.put(scope, epoch + 1));
        return after;
    }

    Array names(Connection connection) throws SQLException {
        return FenceRows.scopes(connection, before.keySet());
    }

    Array epochs(Connection connection) throws SQLException {
        return connection.createArrayOf("int8", before.values().toArray());
    }
}
