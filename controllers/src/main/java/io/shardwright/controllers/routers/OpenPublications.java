package io.shardwright.controllers.routers;

import io.shardwright.routing.Role;
import io.shardwright.routing.TableOrder;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * The tables of one cluster that a role has not acknowledged yet, with the times at which this leader saw them first: a role
 * that is always a second behind owes the table of a second ago, not the first one since it was last up to date.
 */
public final class OpenPublications {
    /** The oldest ones count; more of them than tables are remembered say nothing new. */
    private static final int KEPT = 256;

    /** @param lapsed the whole role had it once; a router that fell silent, or one that starts, has not */
    private record Publication(long revision, Instant at, boolean lapsed) {}

    private final Map<Role, Deque<Publication>> open = new EnumMap<>(Role.class);
    private TableOrder newest = new TableOrder(0, 0, 0);

    /** Takes note of the published table; seeing it again changes nothing. */
    public synchronized void published(TableOrder table, Instant now) {
        if (table.incarnation() != newest.incarnation()) {
            open.clear();
            newest = new TableOrder(table.incarnation(), 0, 0);
        }
        if (table.revision() <= newest.revision()) {
            return;
        }
        newest = table;
        for (Role role : Role.values()) {
            Deque<Publication> owed = open.computeIfAbsent(role, any -> new ArrayDeque<>());
            if (owed.size() < KEPT) {
                owed.addLast(new Publication(table.revision(), now, false));
            }
        }
    }

    /**
     * Since when the role owes a table; empty when it has acknowledged all. One that it had once and has no more, because a
     * router fell silent or starts, is owed only while somebody waits for it: nobody is told of a restart.
     *
     * @param awaited whether a move waits for routers
     * @param acknowledged whether the whole role has a revision or a later one; asked for few, the oldest first
     */
    public synchronized Optional<Instant> owedSince(
            Role role, boolean awaited, Instant now, LongPredicate acknowledged) {
        Deque<Publication> owed = open.getOrDefault(role, new ArrayDeque<>());
        while (!owed.isEmpty() && acknowledged.test(owed.getFirst().revision())) {
            owed.removeFirst();
        }
        if (owed.isEmpty() && newest.revision() > 0 && !acknowledged.test(newest.revision())) {
            owed.addLast(new Publication(newest.revision(), now, true));
        }
        return owed.stream().filter(one -> awaited || !one.lapsed()).findFirst().map(Publication::at);
    }
}
