package io.shardwright.controllers.shardpolicy;

import io.shardwright.crds.Durations;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicySpec;
import io.shardwright.planning.windows.Closure;
import io.shardwright.planning.windows.Freeze;
import io.shardwright.planning.windows.Hours;
import io.shardwright.planning.windows.Timetable;
import io.shardwright.planning.windows.Window;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneRulesProvider;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Whether a policy lets forward steps begin now. What the API server could not judge is found here: a time zone that this process
 * does not know, a cron that never fires. Then nothing begins, because nobody knows what was meant.
 */
public final class PolicyHours {
    private static final int KEPT = 256;

    /** Every pass of every move asks, and reading a cron takes longer than a pass should, one that never fires above all. */
    private final Map<String, Read> crons = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Read> eldest) {
            return size() > KEPT;
        }
    };

    /** @param fault why it is no schedule; null when it is one */
    private record Read(CronSchedule schedule, String fault) {
        static Read of(String cron) {
            try {
                return new Read(CronSchedule.parse(cron), null);
            } catch (IllegalArgumentException e) {
                return new Read(null, e.getMessage());
            }
        }
    }

    /** A window or a freeze that cannot be read, with its path and what to do. */
    private static final class UnfitException extends Exception {
        private static final long serialVersionUID = 1L;

        private UnfitException(String message) {
            super(message);
        }
    }

    /** Without a policy nobody has said anything about time. */
    public Hours of(Optional<ShardPolicy> policy, Instant now) {
        return policy.map(one -> at(one, now)).orElse(Hours.ALWAYS);
    }

    Hours at(ShardPolicy policy, Instant now) {
        String name = policy.getMetadata().getName();
        try {
            return new Timetable(name, windows(policy.getSpec()), freezes(policy.getSpec())).at(now);
        } catch (UnfitException e) {
            return Hours.closed(Closure.unreadable(name, e.getMessage()));
        }
    }

    private List<Window> windows(ShardPolicySpec spec) throws UnfitException {
        List<Window> windows = new ArrayList<>();
        for (ShardPolicySpec.Window window : spec.windows()) {
            String path = "spec.windows[" + windows.size() + "]";
            windows.add(new Window(
                    schedule(window.cron(), path), Durations.parse(window.duration()), zone(window.timeZone(), path)));
        }
        return windows;
    }

    private CronSchedule schedule(String cron, String path) throws UnfitException {
        Read read;
        synchronized (crons) {
            read = crons.computeIfAbsent(cron, Read::of);
        }
        if (read.fault() != null) {
            throw new UnfitException(path + ".cron: " + read.fault() + ": correct it, or remove the window");
        }
        return read.schedule();
    }

    private static ZoneId zone(String name, String path) throws UnfitException {
        if (!ZoneRulesProvider.getAvailableZoneIds().contains(name)) { // ZoneId knows GMT+5 too, which is no name
            throw new UnfitException(path + ".timeZone: there is no time zone " + name
                    + ": write a name of the IANA database as it is spelled there, for example Asia/Seoul");
        }
        return ZoneId.of(name);
    }

    private static List<Freeze> freezes(ShardPolicySpec spec) throws UnfitException {
        List<Freeze> freezes = new ArrayList<>();
        for (ShardPolicySpec.Freeze freeze : spec.freezes()) {
            String path = "spec.freezes[" + freezes.size() + "]";
            freezes.add(
                    new Freeze(time(freeze.from(), path + ".from"), time(freeze.to(), path + ".to"), freeze.reason()));
        }
        return freezes;
    }

    private static Instant time(String text, String path) throws UnfitException {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new UnfitException(path + ": " + text + " is no time: write it like 2026-12-20T00:00:00Z");
        }
    }
}
