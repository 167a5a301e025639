package io.shardwright.controllers.routers;

import io.shardwright.planning.acks.AckCount;
import io.shardwright.routing.Acknowledgement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The acknowledgements of one cluster, one entry per (instance, process). */
final class ClusterAcks {
    /** Late words of a pod that is gone are forgotten after this time; a router that is frozen is silent as long as it lives. */
    private static final Duration FORGET = Duration.ofMinutes(10);

    private static final int REMEMBERED_DEPARTED = 1024;

    private static final int REMEMBERED_BOOTS = 16;

    enum Outcome {
        DROPPED,
        KEPT,
        /** taken, and it says something that the last one did not */
        NEWS
    }

    private record Process(String instance, String name) implements Comparable<Process> {
        @Override
        public int compareTo(Process other) {
            return Comparator.comparing(Process::instance)
                    .thenComparing(Process::name)
                    .compare(this, other);
        }
    }

    private static final class Entry {
        private Acknowledgement newest;
        private long heardNanos;
        private final Deque<String> supersededBoots = new ArrayDeque<>();
    }

    private final SortedMap<Process, Entry> entries = new TreeMap<>();
    /** The oldest first. */
    private final Set<String> departed = new LinkedHashSet<>();

    private OptionalLong lastInterruption = OptionalLong.empty();

    synchronized Outcome accept(Acknowledgement ack, long nowNanos) {
        forgetOld(nowNanos);
        Process process = new Process(ack.instance(), ack.process());
        Entry entry = entries.get(process);
        if (entry == null) {
            entry = new Entry();
            entries.put(process, entry);
            return take(entry, ack, nowNanos, Outcome.NEWS);
        }
        if (entry.supersededBoots.contains(ack.boot())) {
            return Outcome.DROPPED;
        }
        if (!entry.newest.boot().equals(ack.boot())) {
            remember(entry, entry.newest.boot());
            return interrupted(entry, ack, nowNanos);
        }
        if (ack.sequence() <= entry.newest.sequence()) {
            return Outcome.DROPPED;
        }
        if (nowNanos - entry.heardNanos > AckCount.SILENT_AFTER.toNanos()) {
            return interrupted(entry, ack, nowNanos);
        }
        return take(entry, ack, nowNanos, sameWords(entry.newest, ack) ? Outcome.KEPT : Outcome.NEWS);
    }

    private Outcome interrupted(Entry entry, Acknowledgement ack, long nowNanos) {
        lastInterruption = OptionalLong.of(nowNanos);
        return take(entry, ack, nowNanos, Outcome.NEWS);
    }

    private static Outcome take(Entry entry, Acknowledgement ack, long nowNanos, Outcome outcome) {
        entry.newest = ack;
        entry.heardNanos = nowNanos;
        return outcome;
    }

    private static void remember(Entry entry, String boot) {
        entry.supersededBoots.addLast(boot);
        if (entry.supersededBoots.size() > REMEMBERED_BOOTS) {
            entry.supersededBoots.removeFirst();
        }
    }

    private static boolean sameWords(Acknowledgement a, Acknowledgement b) {
        return a.incarnation() == b.incarnation()
                && a.appliedRevision() == b.appliedRevision()
                && a.generation() == b.generation()
                && a.inFlightOldest() == b.inFlightOldest()
                && a.digest().equals(b.digest())
                && a.role() == b.role()
                && java.util.Objects.equals(a.nack(), b.nack());
    }

    private void forgetOld(long nowNanos) {
        entries.entrySet()
                .removeIf(entry -> departed.contains(entry.getKey().instance())
                        && nowNanos - entry.getValue().heardNanos > FORGET.toNanos());
    }

    /** An instance never comes back. @return whether anything was known of it */
    synchronized boolean depart(String instance) {
        departed.add(instance);
        if (departed.size() > REMEMBERED_DEPARTED) {
            departed.remove(departed.iterator().next());
        }
        return entries.keySet().removeIf(process -> process.instance().equals(instance));
    }

    synchronized HeardAcks heard() {
        List<HeardAcks.Heard> heard = new ArrayList<>(entries.size());
        entries.values().forEach(entry -> heard.add(new HeardAcks.Heard(entry.newest, entry.heardNanos)));
        return new HeardAcks(heard, lastInterruption);
    }
}
