package io.shardwright.dataplane.postgres.move.apply;

import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.postgres.move.stream.Relation;
import io.shardwright.dataplane.postgres.move.tables.MovedTable;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The relations that the stream has described; one that does not fit the copied shape ends the stream. */
final class RelationCache {
    private final ShardedSchema schema;
    private final MovedTables tables;
    private final Map<Integer, StreamedTable> byId = new HashMap<>();

    RelationCache(ShardedSchema schema, MovedTables tables) {
        this.schema = schema;
        this.tables = tables;
    }

    StreamedTable get(int id) {
        StreamedTable known = byId.get(id);
        if (known == null) {
            throw new IllegalArgumentException("the stream used relation " + id + " before it described it");
        }
        return known;
    }

    void put(Relation relation) throws MoverFault {
        Optional<MovedTable> table = tables.find(relation.schema(), relation.name());
        byId.put(relation.id(), table.isPresent() ? moved(relation, table.get()) : own(relation));
    }

    private StreamedTable moved(Relation relation, MovedTable table) throws MoverFault {
        if (!sameShape(relation, table)) {
            throw MoverFault.schemaChanged(
                    "table " + relation.qualifiedName() + " changed on the source during the move");
        }
        int[] key = table.key().stream()
                .mapToInt(column -> relation.indexOf(column.name()))
                .toArray();
        return new StreamedTable(
                StreamedTable.Use.MOVED,
                relation,
                table,
                key,
                relation.indexOf(table.shardKey()),
                schema.keyType(),
                schema.bucketing());
    }

    private static boolean sameShape(Relation relation, MovedTable table) {
        if (relation.columns().size() != table.columns().size()) {
            return false;
        }
        for (int i = 0; i < table.columns().size(); i++) {
            MovedTable.Column mine = table.columns().get(i);
            Relation.Column theirs = relation.columns().get(i);
            boolean same = mine.name().equals(theirs.name())
                    && mine.typeOid() == theirs.typeOid()
                    && mine.typeModifier() == theirs.typeModifier()
                    && (!mine.inKey() || theirs.key());
            if (!same) {
                return false;
            }
        }
        return true;
    }

    private StreamedTable own(Relation relation) {
        StreamedTable.Use use = switch (relation.qualifiedName()) {
            case "shardwright.fence" -> StreamedTable.Use.FENCE;
            case "shardwright.heartbeat" -> StreamedTable.Use.HEARTBEAT;
            case "shardwright.move_progress" -> StreamedTable.Use.PROGRESS;
            default -> StreamedTable.Use.IGNORED;
        };
        return new StreamedTable(use, relation, null, new int[0], -1, schema.keyType(), schema.bucketing());
    }
}
