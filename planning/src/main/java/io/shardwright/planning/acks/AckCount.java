package io.shardwright.planning.acks;

import io.shardwright.routing.Acknowledgement;
import io.shardwright.routing.Role;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Counts acknowledgements. Whoever is live and has not clearly said yes holds the gate, by name and with what to do about
 * it; so does a router that nobody has declared, and a role in which nobody lives.
 */
public final class AckCount {
    /** A process that was not heard of for so long is silent: it may be stopped, and continue later with an old table. */
    public static final Duration SILENT_AFTER = Duration.ofSeconds(30);

    private final AckRequirement required;
    private final List<LiveRouter> live;
    private final Map<String, Map<String, HeardAck>> heard = new TreeMap<>();

    private AckCount(AckRequirement required, List<LiveRouter> live, Collection<HeardAck> heard) {
        this.required = required;
        this.live = live;
        heard.forEach(ack -> this.heard
                .computeIfAbsent(ack.said().instance(), instance -> new TreeMap<>())
                .merge(ack.said().process(), ack, AckCount::newer));
    }

    /**
     * Counts who has acknowledged.
     *
     * @param live all live routers of the cluster, of every role; the list must come from an informer that has synced
     * @param heard what was heard since this leader began; of several acknowledgements of a process the newest counts
     */
    public static AckGate count(AckRequirement required, List<LiveRouter> live, Collection<HeardAck> heard) {
        if (required.roles().isEmpty()) {
            return AckGate.unknown("no routers are declared: add spec.routers to the ShardCluster");
        }
        return new AckCount(required, live, heard).gate();
    }

    private AckGate gate() {
        Map<Role, Integer> lives = new EnumMap<>(Role.class);
        Map<Role, Integer> acked = new EnumMap<>(Role.class);
        List<AckGate.Holder> holders = new ArrayList<>();
        for (Role role : required.roles()) {
            List<LiveRouter> asked = live.stream()
                    .filter(router -> router.role() == role)
                    .sorted(Comparator.comparing(LiveRouter::name).thenComparing(LiveRouter::instance))
                    .toList();
            List<AckGate.Holder> missing =
                    asked.stream().map(this::holder).flatMap(Optional::stream).toList();
            lives.put(role, asked.size());
            acked.put(role, asked.size() - missing.size());
            holders.addAll(missing);
            if (asked.isEmpty()) {
                holders.add(new AckGate.Holder(
                        "role " + role.wire(), "has no live instance: start one, or correct the selector of the role"));
            }
        }
        holders.addAll(undeclared());
        return new AckGate(lives, acked, atMostTen(holders), true);
    }

    private Optional<AckGate.Holder> holder(LiveRouter router) {
        Map<String, HeardAck> processes = heard.getOrDefault(router.instance(), Map.of());
        return reason(router, processes).map(reason -> new AckGate.Holder(router.title(), reason));
    }

    /** Why it holds, the worst first; empty when every process has acknowledged. */
    private Optional<String> reason(LiveRouter router, Map<String, HeardAck> processes) {
        for (HeardAck ack : processes.values()) {
            Optional<String> reason = reason(router, ack);
            if (reason.isPresent()) {
                return reason.map(
                        text -> processes.size() > 1 ? "process " + ack.said().process() + " " + text : text);
            }
        }
        if (processes.isEmpty()) {
            return Optional.of("has never acknowledged: check that it uses a router library, or delete the pod");
        }
        return processes.size() >= router.processes()
                ? Optional.empty()
                : Optional.of("acknowledged with " + processes.size() + " of " + router.processes()
                        + " processes: wait for the others, or correct the annotation shardwright.io/routers");
    }

    private Optional<String> reason(LiveRouter router, HeardAck ack) {
        Acknowledgement said = ack.said();
        if (ack.age().compareTo(SILENT_AFTER) >= 0) {
            return Optional.of("silent for over " + roughly(ack.age()) + " s: delete the pod or wait until it answers");
        }
        if (said.role() != router.role()) {
            return Optional.of("acknowledges as " + said.role().wire() + ": correct its role or the selector");
        }
        if (said.nack() != null) {
            return Optional.of("refused the table (" + said.nack() + "): cure the cause, or delete the pod");
        }
        if (said.incarnation() != required.incarnation()) {
            return Optional.of("has a table of incarnation " + said.incarnation() + ", not " + required.incarnation()
                    + ": wait until it has read the new one, or delete the pod");
        }
        return behind(said);
    }

    /** 30, 60, 120 and so on: a text that changed at every look would be a status write at every look. */
    private static long roughly(Duration silence) {
        long seconds = SILENT_AFTER.toSeconds();
        while (seconds * 2 <= silence.toSeconds()) {
            seconds *= 2;
        }
        return seconds;
    }

    private Optional<String> behind(Acknowledgement said) {
        if (said.appliedRevision() < required.revision()) {
            return Optional.of("is at revision " + said.appliedRevision() + " of " + required.revision()
                    + ": wait, or look at its connection to the feed");
        }
        if (!required.digests().contains(Objects.requireNonNullElse(said.digest(), ""))) {
            return Optional.of(
                    "has a table that this operator has not seen published: wait for its next acknowledgement");
        }
        if (required.kind() == AckRequirement.Kind.CLEANUP && said.inFlightOldest() < required.revision()) {
            return Optional.of(
                    "has a transaction open since revision " + said.inFlightOldest() + ": wait for its end, or end it");
        }
        return Optional.empty();
    }

    /** Someone who routes and whom no selector finds may be one of many. */
    private List<AckGate.Holder> undeclared() {
        var declared = live.stream().map(LiveRouter::instance).collect(Collectors.toSet());
        return heard.entrySet().stream()
                .filter(entry -> !declared.contains(entry.getKey()))
                .flatMap(entry -> entry.getValue().values().stream())
                .filter(ack -> ack.age().compareTo(SILENT_AFTER) < 0)
                .map(ack -> new AckGate.Holder(
                        ack.said().pod() + " (" + ack.said().role().wire() + ")",
                        "acknowledges, but no selector of spec.routers matches it: add its label, or end it"))
                .distinct()
                .toList();
    }

    private static List<AckGate.Holder> atMostTen(List<AckGate.Holder> holders) {
        if (holders.size() <= AckGate.MAX_NAMES) {
            return holders;
        }
        List<AckGate.Holder> named = new ArrayList<>(holders.subList(0, AckGate.MAX_NAMES));
        named.add(new AckGate.Holder("and " + (holders.size() - AckGate.MAX_NAMES) + " more", "hold as well"));
        return named;
    }

    private static HeardAck newer(HeardAck one, HeardAck other) {
        if (one.said().boot().equals(other.said().boot())) {
            return one.said().sequence() >= other.said().sequence() ? one : other;
        }
        return one.age().compareTo(other.age()) <= 0 ? one : other;
    }
}
