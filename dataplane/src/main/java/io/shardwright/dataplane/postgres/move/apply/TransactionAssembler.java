package io.shardwright.dataplane.postgres.move.apply;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.postgres.move.stream.LogicalMessage;
import io.shardwright.dataplane.postgres.move.stream.LogicalMessage.Begin;
import io.shardwright.dataplane.postgres.move.stream.LogicalMessage.Commit;
import io.shardwright.dataplane.postgres.move.stream.LogicalMessage.Delete;
import io.shardwright.dataplane.postgres.move.stream.LogicalMessage.Insert;
import io.shardwright.dataplane.postgres.move.stream.LogicalMessage.Other;
import io.shardwright.dataplane.postgres.move.stream.LogicalMessage.RelationChange;
import io.shardwright.dataplane.postgres.move.stream.LogicalMessage.Text;
import io.shardwright.dataplane.postgres.move.stream.LogicalMessage.Truncate;
import io.shardwright.dataplane.postgres.move.stream.LogicalMessage.Update;
import io.shardwright.dataplane.postgres.move.stream.Relation;
import io.shardwright.dataplane.postgres.move.stream.Tuple;
import io.shardwright.dataplane.postgres.move.stream.Tuple.Kind;
import io.shardwright.dataplane.postgres.move.stream.Tuple.Value;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Makes transactions out of messages and keeps only what concerns the move: rows of its buckets, its heartbeats, fence
 * rows, and what movers wrote into the log. Rows of a transaction whose first change is the progress row are dropped: a mover
 * has written them, from the other side, where they would only go round.
 */
final class TransactionAssembler {
    private final UUID moveId;
    private final RelationCache relations;
    private final Set<Scope> importing;
    private final boolean ofKeys;
    private final Set<String> apart;

    /** Each under itself, because of how it is shown. */
    private final Map<Scope, Scope> own = new HashMap<>();

    private final TouchedKeys touched;
    private long xid;
    private boolean changed;
    private boolean signed;
    private List<RowChange> changes = new ArrayList<>();
    private Set<Scope> scopes = new HashSet<>();
    private List<RowKey> keys = new ArrayList<>();
    private List<String> marks = new ArrayList<>();
    private List<FenceRow> fences = new ArrayList<>();
    private List<String> tokens = new ArrayList<>();
    private int bytes;

    /** @param importing what still travels; a live view */
    TransactionAssembler(MoveTask task, MovedTables tables, Set<Scope> importing, TouchedKeys touched) {
        moveId = task.moveId();
        relations = new RelationCache(task.schema(), tables);
        ofKeys = task.ofKeys();
        apart = Set.copyOf(tables.overrides().keys());
        task.scopes().forEach(scope -> own.put(scope, scope));
        this.importing = importing;
        this.touched = touched;
    }

    /** @return a transaction when this message completes one, else null */
    SourceTransaction add(LogicalMessage message) throws MoverFault {
        switch (message) {
            case Begin begin -> xid = begin.xid();
            case Commit commit -> {
                return complete(commit);
            }
            case RelationChange change -> relations.put(change.relation());
            case Insert insert -> row(insert.relationId(), null, insert.row());
            case Update update -> row(update.relationId(), update.old(), update.row());
            case Delete delete -> row(delete.relationId(), delete.old(), null);
            case Truncate truncate -> refuseTruncate(truncate);
            case Text text -> {
                if (text.prefix().equals(Incarnation.TOKEN_PREFIX)) {
                    tokens.add(text.content());
                }
            }
            case Other other -> {}
        }
        return null;
    }

    /** Size of the transaction that is not complete yet. */
    int openBytes() {
        return bytes;
    }

    /** @param scopes whose rows they write */
    record Part(List<RowChange> changes, Set<Scope> scopes) {}

    /** Takes the changes so far out of a transaction that is too large to be kept. */
    Part takePart() {
        touch();
        Part taken = new Part(changes, scopes);
        changes = new ArrayList<>();
        scopes = new HashSet<>();
        bytes = 0;
        return taken;
    }

    private SourceTransaction complete(Commit commit) {
        touch();
        SourceTransaction transaction = new SourceTransaction(commit.end(), changes, scopes, marks, fences, tokens);
        changes = new ArrayList<>();
        scopes = new HashSet<>();
        marks = new ArrayList<>();
        fences = new ArrayList<>();
        tokens = new ArrayList<>();
        bytes = 0;
        changed = false;
        signed = false;
        return transaction;
    }

    private void touch() {
        touched.record(xid, keys);
        keys = new ArrayList<>();
    }

    private void row(int relationId, Tuple old, Tuple row) throws MoverFault {
        StreamedTable streamed = relations.get(relationId);
        signed |= !changed && streamed.use() == StreamedTable.Use.PROGRESS;
        changed = true;
        switch (streamed.use()) {
            case MOVED -> {
                if (!signed) {
                    moved(streamed, old, row);
                }
            }
            case FENCE -> {
                if (row != null) {
                    fence(streamed.relation(), row);
                }
            }
            case HEARTBEAT -> {
                if (row != null) {
                    heartbeat(streamed.relation(), row);
                }
            }
            case PROGRESS, IGNORED -> {}
        }
    }

    private void moved(StreamedTable streamed, Tuple old, Tuple row) {
        Tuple first = old == null ? row : old;
        Scope scope = own.get(streamed.scopeOf(first, ofKeys));
        if (scope == null
                || !importing.contains(scope)
                || apart.contains(streamed.shardKey(first).text())) {
            return;
        }
        scopes.add(scope);
        bytes += row == null ? old.size() : row.size();
        if (row == null) {
            List<String> key = streamed.key(old);
            touched(streamed, key);
            changes.add(new RowChange.Delete(streamed.table(), key));
            return;
        }
        List<String> newKey = streamed.key(row, old);
        List<String> oldKey = old == null ? newKey : streamed.key(old);
        touched(streamed, newKey);
        boolean incomplete = row.values().contains(Value.UNCHANGED);
        if (!oldKey.equals(newKey)) {
            touched(streamed, oldKey);
        }
        changes.add(
                incomplete || !oldKey.equals(newKey)
                        ? new RowChange.Update(streamed.table(), oldKey, row.values())
                        : new RowChange.Upsert(streamed.table(), row.values()));
    }

    private void touched(StreamedTable streamed, List<String> key) {
        keys.add(new RowKey(streamed.table().qualifiedName(), key));
    }

    private void fence(Relation relation, Tuple row) {
        String move = text(relation, row, "move_id");
        fences.add(new FenceRow(
                Scope.named(text(relation, row, "scope"), Integer.parseInt(text(relation, row, "bucket"))),
                FenceState.valueOf(text(relation, row, "state")),
                Long.parseLong(text(relation, row, "epoch")),
                text(relation, row, "owner"),
                move == null ? null : UUID.fromString(move)));
    }

    private void heartbeat(Relation relation, Tuple row) {
        if (moveId.toString().equals(text(relation, row, "move_id"))) {
            marks.add(text(relation, row, "mark"));
        }
    }

    private static String text(Relation relation, Tuple row, String column) {
        Value value = row.at(relation.indexOf(column));
        return value.kind() == Kind.TEXT ? value.text() : null;
    }

    private void refuseTruncate(Truncate truncate) throws MoverFault {
        for (int id : truncate.relationIds()) {
            StreamedTable streamed = relations.get(id);
            if (streamed.use() == StreamedTable.Use.MOVED) {
                throw MoverFault.schemaChanged(
                        "table " + streamed.relation().qualifiedName() + " was truncated on the source past the fence");
            }
        }
    }
}
