package io.shardwright.dataplane.postgres.move.apply;

import java.util.List;

/** Which row: a table and the text of its primary key. */
public record RowKey(String table, List<String> key) {}
