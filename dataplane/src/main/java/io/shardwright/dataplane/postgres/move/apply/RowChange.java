package io.shardwright.dataplane.postgres.move.apply;

import io.shardwright.dataplane.postgres.move.stream.Tuple.Value;
import io.shardwright.dataplane.postgres.move.tables.MovedTable;
import java.util.List;

/** One change of a row that travels, in the order of the source. */
public sealed interface RowChange {
    MovedTable table();

    /** The row as it is now, complete; it may or may not exist on the target. */
    record Upsert(MovedTable table, List<Value> values) implements RowChange {}

    /**
     * The row that has this key, and must exist: its key changed, or the log lacks a value that did not change, which a
     * delete and insert would lose.
     */
    record Update(MovedTable table, List<String> key, List<Value> values) implements RowChange {}

    record Delete(MovedTable table, List<String> key) implements RowChange {}
}
