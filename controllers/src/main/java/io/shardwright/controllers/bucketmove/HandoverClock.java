package io.shardwright.controllers.bucketmove;

import io.shardwright.planning.moves.MoveObservation.TableView;
import io.shardwright.routing.Handover;
import io.shardwright.routing.Role;
import io.shardwright.routing.RoutingTable;
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

    /** A set of buckets, the revision in which it grew last, and when it changed. */
    private static final class Mark {
        private SortedSet<Integer> buckets = new TreeSet<>();
        private long revision;
        private long grownNanos;
        private long changedNanos;
        private boolean begun;

        /** Revisions of another incarnation say nothing of this one. */
        private void forget() {
            begun = false;
        }

        private void note(SortedSet<Integer> now, long atRevision, long atNanos) {
            if (!begun || !buckets.containsAll(now)) {
                revision = atRevision;
                grownNanos = atNanos;
            }
            if (!begun || !buckets.equals(now)) {
                changedNanos = atNanos;
            }
            buckets = now;
            begun = true;
        }
    }

    /**
     * The table's view of a move with the revisions that acknowledgements are counted for.
     *
     * @param announcedAt first revision that this leader saw with everything that is announced; the others alike
     * @param foldedFor since a bucket of the move was last written into the bucket map; zero while none is there
     */
    record Reading(TableView view, long announcedAt, long workersAt, long webAt, long foldedAt, Duration foldedFor) {}

    synchronized Reading read(RoutingTable table, SortedSet<Integer> buckets, String to) {
        long now = nanos.getAsLong();
        long revision = table.order().revision();
        if (table.order().incarnation() != incarnation) {
            incarnation = table.order().incarnation();
            Stream.of(announced, workers, web, folded).forEach(Mark::forget);
        }
        announced.note(handedOver(table, buckets, to, null), revision, now);
        workers.note(handedOver(table, buckets, to, Role.WORKER), revision, now);
        web.note(handedOver(table, buckets, to, Role.WEB), revision, now);
        folded.note(owned(table, buckets, to), revision, now);
        long changed = Math.max(
                Math.max(announced.changedNanos, workers.changedNanos),
                Math.max(web.changedNanos, folded.changedNanos));
        TableView view = new TableView(
                announced.buckets,
                workers.buckets,
                web.buckets,
                folded.buckets,
                Duration.ofNanos(now - changed),
                Duration.ofNanos(now - workers.grownNanos),
                Duration.ofNanos(now - web.grownNanos));
        Duration foldedFor = folded.buckets.isEmpty() ? Duration.ZERO : Duration.ofNanos(now - folded.grownNanos);
        return new Reading(view, announced.revision, workers.revision, web.revision, folded.revision, foldedFor);
    }

    /** @param role null: whoever sees it */
    private static SortedSet<Integer> handedOver(RoutingTable table, SortedSet<Integer> buckets, String to, Role role) {
        SortedSet<Integer> found = new TreeSet<>();
        for (Handover handover : table.handovers()) {
            if (handover.to().equals(to)
                    && (role == null || handover.visibleTo().contains(role))) {
                found.addAll(handover.buckets().keySet());
            }
        }
        found.retainAll(buckets);
        return found;
    }

    private static SortedSet<Integer> owned(RoutingTable table, SortedSet<Integer> buckets, String to) {
        SortedSet<Integer> found = new TreeSet<>(buckets);
        found.removeIf(bucket -> bucket >= table.bucketMap().buckets()
                || !table.bucketMap().get(bucket).equals(to));
        return found;
    }
}
