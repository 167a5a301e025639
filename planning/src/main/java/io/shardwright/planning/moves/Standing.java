package io.shardwright.planning.moves;

import io.shardwright.planning.moves.MoveObservation.Task;
import io.shardwright.planning.moves.MoveObservation.Truth;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** Where each bucket of a move stands, derived from the fence rows; the planner's only source of what has happened. */
public final class Standing {
    private final Map<RecoveryAction, SortedSet<Scope>> scopes = new EnumMap<>(RecoveryAction.class);
    private final SortedSet<Scope> begun = new TreeSet<>();

    private Standing(Task task, Truth truth, boolean beyondReturn) {
        RecoveryTable table = new RecoveryTable(task);
        for (Scope scope : task.scopes()) {
            Optional<FenceRow> source = Optional.ofNullable(truth.source().get(scope));
            Optional<FenceRow> target = Optional.ofNullable(truth.target().get(scope));
            boolean cameHome = beyondReturn && scope.isKey() && source.isEmpty() && !stayed(task, target);
            RecoveryAction action = cameHome ? RecoveryAction.PUBLISH : table.decide(source, target);
            scopes.computeIfAbsent(action, one -> new TreeSet<>()).add(scope);
            if (table.begun(source, target)) {
                begun.add(scope);
            }
        }
    }

    /** It was decided against, and another move may have brought it away since. */
    private static boolean stayed(Task task, Optional<FenceRow> target) {
        return target.filter(row -> row.state() != FenceState.OWNED)
                .filter(row -> task.moveId().equals(row.moveId()))
                .isPresent();
    }

    public static Standing of(Task task, Truth truth) {
        return of(task, truth, false);
    }

    /**
     * @param beyondReturn the cleanup may have begun, and it takes away the row of a key where it was: such a key has moved, and may
     *     even be one with its bucket again, whatever the target says of that
     */
    static Standing of(Task task, Truth truth, boolean beyondReturn) {
        return new Standing(task, truth, beyondReturn);
    }

    /** The buckets with this action, ascending. */
    public SortedSet<Scope> at(RecoveryAction action) {
        return Collections.unmodifiableSortedSet(scopes.getOrDefault(action, new TreeSet<>()));
    }

    public boolean any(RecoveryAction action) {
        return scopes.containsKey(action);
    }

    /** The move has left a trace somewhere. */
    public boolean begun() {
        return !begun.isEmpty();
    }

    public boolean anyDecidedAgainst() {
        return scopes.keySet().stream().anyMatch(RecoveryAction::decidedAgainst);
    }

    /** The target owns them: no way back in this direction. */
    public SortedSet<Scope> moved() {
        return at(RecoveryAction.PUBLISH);
    }

    /** Of the way there: they had moved, and the source owns them again. */
    public SortedSet<Scope> takenBack() {
        return at(RecoveryAction.TAKEN_BACK);
    }

    /** The source still owns them and nothing speaks against moving them. */
    public SortedSet<Scope> waiting() {
        SortedSet<Scope> waiting = new TreeSet<>(at(RecoveryAction.BEGIN));
        waiting.addAll(at(RecoveryAction.CARRY_ON));
        return Collections.unmodifiableSortedSet(waiting);
    }

    /** What is left when the buckets that have moved are taken off, and those that the other leg answers for. */
    public SortedSet<Scope> unmoved() {
        SortedSet<Scope> unmoved = new TreeSet<>();
        scopes.forEach((action, set) -> {
            if (action.unmoved()) {
                unmoved.addAll(set);
            }
        });
        return Collections.unmodifiableSortedSet(unmoved);
    }
}
