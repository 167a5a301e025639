package io.shardwright.controllers.report;

import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionStatus;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.Reason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Collects the conditions of one status, all about the same generation and made at the same time. */
public final class ConditionBook {
    /** Work in hand that ends by itself, or the consequence of what another object warns of: nobody needs to be warned. */
    private static final Set<String> IN_HAND = Stream.of(
                    Reason.NOT_OBSERVED,
                    Reason.OBSERVING,
                    Reason.ADOPTING,
                    Reason.INSTALLING,
                    Reason.PUBLISHING,
                    Reason.CLUSTER_NOT_ACCEPTED)
            .map(Reason::wire)
            .collect(Collectors.toUnmodifiableSet());

    private final List<Condition> stored;
    private final Long generation;
    private final Instant now;
    private final List<Condition> wanted = new ArrayList<>();

    /** @param stored the conditions that the object has */
    public ConditionBook(List<Condition> stored, Long generation, Instant now) {
        this.stored = stored;
        this.generation = generation;
        this.now = now;
    }

    public ConditionBook say(ConditionType type, ConditionStatus status, Reason reason, String message) {
        wanted.add(Condition.of(type, status, reason, message, generation, now));
        return this;
    }

    /** Says again what is stored, generation included. @return false when nothing is stored */
    public boolean keep(ConditionType type) {
        return Conditions.find(stored, type).map(wanted::add).orElse(false);
    }

    /** Says again whatever is stored and was not said yet. */
    public ConditionBook keepOthers() {
        stored.stream()
                .filter(before -> wanted.stream().noneMatch(one -> one.type().equals(before.type())))
                .toList()
                .forEach(wanted::add);
        return this;
    }

    public boolean isTrue(ConditionType type) {
        return Conditions.isTrue(wanted, type);
    }

    /** Sorted by type; unchanged statements keep their times. */
    public List<Condition> done() {
        return Conditions.next(stored, wanted);
    }

    /**
     * What changed between two lists and is worth an event: another status, or another reason of one that is not True. Ready
     * sums the others up, so its reasons are told by them.
     *
     * @param told the types that people are told about
     * @param alarming of these, those whose fall is a warning, unless it is by work in hand
     */
    public static List<Transition> transitions(
            List<Condition> before, List<Condition> after, Set<ConditionType> told, Set<ConditionType> alarming) {
        List<Transition> transitions = new ArrayList<>();
        for (ConditionType type : ConditionType.values()) {
            Condition now = Conditions.find(after, type).orElse(null);
            if (now == null
                    || !told.contains(type)
                    || ConditionStatus.UNKNOWN.wire().equals(now.status())) {
                continue;
            }
            boolean known = Conditions.find(before, type)
                    .filter(was -> was.status().equals(now.status()))
                    .filter(was -> now.isTrue()
                            || type == ConditionType.READY
                            || was.reason().equals(now.reason()))
                    .isPresent();
            if (!known) {
                transitions.add(
                        alarming.contains(type) && !now.isTrue() && !IN_HAND.contains(now.reason())
                                ? Transition.warning(now.reason(), now.message())
                                : Transition.normal(now.reason(), now.message()));
            }
        }
        return transitions;
    }
}
