package io.shardwright.controllers.bucketmove;

import io.shardwright.planning.moves.MoveObservation.TableView;
import io.shardwright.routing.Handover;
import io.shardwright.routing.Role;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * What the published table says about one leg of a move, since when, and from which revision on, as this leader saw it. Begins anew
 * with every leader, so what was seen before can lengthen a wait but never shorten one.
 */
final class HandoverClock {
    private final LongSupplier nanos;
    private final Mark announced = new Mark();
    private final Mark workers = new Mark();
    private final Mark web = new Mark();
    private final Mark folded = new Mark();
    private long incarnation;

    HandoverClock(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** A set of scopes, the revision in which it grew last, and when it changed. */
    private static final class Mark {
        private SortedSet<Scope> scopes = new TreeSet<>();
        private long revision;
        private long grownNanos;
        private long changedNanos;
        private boolean begun;

        /** Revisions of another incarnation say nothing of this one. */
        private void forget() {
            begun = false;
        }

        private void note(SortedSet<Scope> now, long atRevision, long atNanos) {
            if (!begun || !scopes.containsAll(now)) {
                revision = atRevision;
                grownNanos = atNanos;
            }
            if (!begun || !scopes.equals(now)) {
                changedNanos = atNanos;
            }
            scopes = now;
            begun = true;
        }
    }

    /**
     * The table's view of a move with the revisions that acknowledgements are counted for.
     *
     * @param announcedAt first revision that this leader saw with everything that is announced; the others alike
     * @param foldedFor since a bucket or key of the move was last written into the bucket map or the pins; zero while none is there
     */
    record Reading(TableView view, long announcedAt, long workersAt, long webAt, long foldedAt, Duration foldedFor) {}

    synchronized Reading read(RoutingTable table, SortedSet<Scope> scopes, String to) {
        long now = nanos.getAsLong();
        long revision = table.order().revision();
        if (table.order().incarnation() != incarnation) {
            incarnation = table.order().incarnation();
            Stream.of(announced, workers, web, folded).forEach(Mark::forget);
        }
        announced.note(handedOver(table, scopes, to, null), revision, now);
        workers.note(handedOver(table, scopes, to, Role.WORKER), revision, now);
        web.note(handedOver(table, scopes, to, Role.WEB), revision, now);
        folded.note(owned(table, scopes, to), revision, now);
        long changed = Math.max(
                Math.max(announced.changedNanos, workers.changedNanos),
                Math.max(web.changedNanos, folded.changedNanos));
        TableView view = new TableView(
                announced.scopes,
                workers.scopes,
                web.scopes,
                folded.scopes,
                Duration.ofNanos(now - changed),
                Duration.ofNanos(now - workers.grownNanos),
                Duration.ofNanos(now - web.grownNanos));
        Duration foldedFor = folded.scopes.isEmpty() ? Duration.ZERO : Duration.ofNanos(now - folded.grownNanos);
        return new Reading(view, announced.revision, workers.revision, web.revision, folded.revision, foldedFor);
    }

    /** @param role null: whoever sees it */
    private static SortedSet<Scope> handedOver(RoutingTable table, SortedSet<Scope> scopes, String to, Role role) {
        SortedSet<Scope> found = new TreeSet<>();
        for (Handover handover : table.handovers()) {
            if (handover.to().equals(to)
                    && (role == null || handover.visibleTo().contains(role))) {
                found.addAll(handover.scopes().keySet());
            }
        }
        found.retainAll(scopes);
        return found;
    }

    private static SortedSet<Scope> owned(RoutingTable table, SortedSet<Scope> scopes, String to) {
        SortedSet<Scope> found = new TreeSet<>(scopes);
        found.removeIf(scope ->
                !MoveScopes.isOfTable(scope, table) || !table.owner(scope).equals(to));
        return found;
    }
}
