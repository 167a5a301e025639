package io.shardwright.crds;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Reading a list of conditions, and making the next one from the stored one. */
public final class Conditions {
    private Conditions() {}

    public static Optional<Condition> find(List<Condition> conditions, ConditionType type) {
        return conditions.stream().filter(condition -> condition.is(type)).findFirst();
    }

    /** False also when the condition is missing or Unknown. */
    public static boolean isTrue(List<Condition> conditions, ConditionType type) {
        return find(conditions, type).filter(Condition::isTrue).isPresent();
    }

    /**
     * The list to store: exactly the wanted conditions, sorted by type; one whose status did not change keeps the time of
     * its last transition, so that an unchanged status is equal to the stored one and is not written.
     */
    public static List<Condition> next(List<Condition> stored, List<Condition> wanted) {
        return wanted.stream()
                .map(condition -> keepingTime(stored, condition))
                .sorted(Comparator.comparing(Condition::type))
                .toList();
    }

    private static Condition keepingTime(List<Condition> stored, Condition wanted) {
        return stored.stream()
                .filter(before -> before.type().equals(wanted.type()))
                .filter(before -> before.status().equals(wanted.status()))
                .findFirst()
                .map(before -> wanted.since(before.lastTransitionTime()))
                .orElse(wanted);
    }
}
