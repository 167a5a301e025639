package io.shardwright.controllers.routers;

import io.shardwright.planning.hotkeys.ProcessReports;
import io.shardwright.routing.Acknowledgement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The slices of one cluster, by the process that reported them. */
final class ClusterLoads {
    /** Rows of shards that are kept, of all processes: 100 MB. A report beyond that is not kept, and its process covers no window. */
    static final int MOST_ROWS = 50_000;

    private record Process(String instance, String name) implements Comparable<Process> {
        private static Process of(Acknowledgement ack) {
            return new Process(ack.instance(), ack.process());
        }

        @Override
        public int compareTo(Process other) {
            return Comparator.comparing(Process::instance)
                    .thenComparing(Process::name)
                    .compare(this, other);
        }
    }

    /** Slices of one boot, the oldest first. */
    private static final class Boot {
        private final String name;
        private final Deque<KeptSlice> slices = new ArrayDeque<>();

        private Boot(String name) {
            this.name = name;
        }
    }

    private final SortedMap<Process, Boot> boots = new TreeMap<>();
    private Duration reach = Duration.ZERO;
    private int rows;

    synchronized void keep(Duration age) {
        reach = age;
    }

    /** Each slice once, and of the newest boot only: what an earlier one did ends with it. */
    synchronized void note(Acknowledgement ack, long nowNanos) {
        forgetOld(nowNanos);
        Process process = Process.of(ack);
        Boot boot = boots.get(process);
        if (boot == null || !boot.name.equals(ack.boot())) {
            if (boot != null) {
                boot.slices.forEach(slice -> rows -= slice.size());
            }
            boot = new Boot(ack.boot());
            boots.put(process, boot);
        }
        boolean known = !boot.slices.isEmpty()
                && boot.slices.getLast().slice() >= ack.load().slice();
        if (!known && rows + ack.load().shards().size() <= MOST_ROWS) {
            boot.slices.addLast(KeptSlice.of(ack.load(), nowNanos));
            rows += ack.load().shards().size();
        }
    }

    private void forgetOld(long nowNanos) {
        boots.values().forEach(boot -> {
            while (!boot.slices.isEmpty() && nowNanos - boot.slices.getFirst().heardNanos() > reach.toNanos()) {
                rows -= boot.slices.removeFirst().size();
            }
        });
        boots.values().removeIf(boot -> boot.slices.isEmpty());
    }

    /** Of a process that is gone what it did counts until it is too old. */
    synchronized List<ProcessReports> reports(HeardAcks heard, long nowNanos) {
        forgetOld(nowNanos);
        Set<Process> live = new HashSet<>();
        List<ProcessReports> reports = new ArrayList<>();
        heard.processes().forEach(one -> {
            Process process = Process.of(one.ack());
            live.add(process);
            Boot boot = boots.get(process);
            boolean current = boot != null && boot.name.equals(one.ack().boot());
            reports.add(new ProcessReports(true, current ? slices(boot, nowNanos) : List.of()));
        });
        boots.forEach((process, boot) -> {
            if (!live.contains(process)) {
                reports.add(new ProcessReports(false, slices(boot, nowNanos)));
            }
        });
        return reports;
    }

    private static List<ProcessReports.Heard> slices(Boot boot, long nowNanos) {
        return boot.slices.stream()
                .map(slice -> new ProcessReports.Heard(
                        slice.report(), Duration.ofNanos(Math.max(0, nowNanos - slice.heardNanos()))))
                .toList();
    }
}
