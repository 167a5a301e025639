package io.shardwright.dataplane.postgres.move.stream;

import java.util.List;

/** A table as the stream describes it before its first row and after every change of it. */
public record Relation(int id, String schema, String name, List<Column> columns) {
    /** @param key part of the replica identity */
    public record Column(String name, boolean key, int typeOid, int typeModifier) {}

    /** @return the place of the column, or -1 */
    public int indexOf(String column) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().equals(column)) {
                return i;
            }
        }
        return -1;
    }

    public String qualifiedName() {
        return schema + "." + name;
    }
}
