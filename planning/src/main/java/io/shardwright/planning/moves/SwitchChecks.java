package io.shardwright.planning.moves;

import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** Steps 6 and 7: announce, measure, and switch one group after the other. */
final class SwitchChecks {
    /** Failed drains in a row before people are asked; it is tried on, once per {@link #LONGEST_PAUSE}. */
    static final int DRAIN_ATTEMPTS = 10;

    static final Duration LONGEST_PAUSE = Duration.ofSeconds(60);

    /** A measurement that is older says nothing about the hold. */
    static final Duration GATE_FRESH = Duration.ofSeconds(1);

    /** A gate that opens within this time is nobody's concern. */
    static final Duration GATE_PATIENCE = Duration.ofSeconds(5);

    private SwitchChecks() {}

    /** Between fence and activation nobody can write: this comes before all other work. */
    static Optional<MoveDecision> activateFenced(Situation now) {
        if (!now.standing().any(RecoveryAction.ACTIVATE)) {
            return Optional.empty();
        }
        Optional<MoveFault> fault = now.fault();
        if (now.seen().mover().running().isPresent()) {
            return now.await(MovePhase.SWITCHING, "the mover reads where it stands", "its report");
        }
        if (fault.isPresent() && fault.get().age().compareTo(GATE_FRESH) < 0) {
            return now.await(
                    MovePhase.SWITCHING,
                    fault.get().message(),
                    fault.get().nextAction(),
                    GATE_FRESH.minus(fault.get().age()));
        }
        return now.act(
                MovePhase.SWITCHING,
                MoveStep.SWITCH,
                firstGroup(now, now.standing().at(RecoveryAction.ACTIVATE)),
                "fenced on the source and not yet activated");
    }

    /** What failovers of both sides have undone after it was folded is in the map already, where nothing can be announced. */
    static Optional<MoveDecision> announce(Situation now) {
        SortedSet<Scope> missing = new TreeSet<>(now.standing().waiting());
        missing.removeAll(now.seen().table().announced());
        missing.removeAll(now.seen().table().folded());
        return missing.isEmpty()
                ? Optional.empty()
                : now.act(MovePhase.READY, MoveStep.ANNOUNCE, missing, "verified; routers connect to the target first");
    }

    static Optional<MoveDecision> awaitAnnounced(Situation now) {
        var gate = now.seen().acks().announced();
        return gate.open()
                ? Optional.empty()
                : now.await(
                        MovePhase.READY,
                        "announced to the routers",
                        "acknowledgements: " + gate.story(),
                        Duration.ofSeconds(5),
                        Situation.routers(gate));
    }

    static Optional<MoveDecision> awaitSlot(Situation now) {
        List<MoveDecision.Blocker> switching = now.seen().admission().switching();
        return switching.isEmpty()
                ? Optional.empty()
                : now.await(
                        MovePhase.READY,
                        "another move switches on one of the two shards",
                        "the end of its switch",
                        Duration.ofSeconds(1),
                        switching);
    }

    static Optional<MoveDecision> awaitGap(Situation now) {
        MoveObservation.Drain drain = now.seen().drain();
        Duration rest = restAfter(drain);
        return rest.isZero()
                ? Optional.empty()
                : Optional.of(noGap(
                        now, drain.failedAttempts() >= DRAIN_ATTEMPTS ? MovePhase.BLOCKED : MovePhase.READY, rest));
    }

    /** What is said once people were asked, also while it is tried on; empty before. */
    static Optional<MoveDecision.Wait> noGapFound(Situation now) {
        MoveObservation.Drain drain = now.seen().drain();
        return drain.failedAttempts() >= DRAIN_ATTEMPTS
                        && !now.standing().waiting().isEmpty()
                        && !now.allDecided()
                ? Optional.of(noGap(now, MovePhase.BLOCKED, restAfter(drain)))
                : Optional.empty();
    }

    private static Duration restAfter(MoveObservation.Drain drain) {
        Duration rest = drain.failedAttempts() == 0
                ? Duration.ZERO
                : pauseAfter(drain.failedAttempts()).minus(drain.sinceLast());
        return rest.isNegative() ? Duration.ZERO : rest;
    }

    private static MoveDecision.Wait noGap(Situation now, MovePhase phase, Duration rest) {
        MoveObservation.Drain drain = now.seen().drain();
        return MoveDecision.Wait.tryingAgain(
                phase,
                drain.failedAttempts() + " attempts found no gap between writers; writers went on each time",
                "the end of "
                        + (drain.sessions().isEmpty() ? "long transactions" : String.join(", ", drain.sessions())),
                now.seen().after(rest),
                sessions(drain.sessions(), "held the bucket at the drain"));
    }

    private static List<MoveDecision.Blocker> sessions(List<String> sessions, String reason) {
        return sessions.stream()
                .map(session -> new MoveDecision.Blocker("Session", session, reason))
                .toList();
    }

    static Duration pauseAfter(int failedAttempts) {
        return failedAttempts > 6 ? LONGEST_PAUSE : Duration.ofSeconds(1L << (failedAttempts - 1));
    }

    /** A gate that is shut is measured again and again, and says so once. */
    static Optional<MoveDecision> gate(Situation now) {
        Optional<MoveObservation.Gate> gate = now.seen().mover().gate();
        boolean old = gate.isEmpty() || gate.get().age().compareTo(GATE_FRESH) >= 0;
        if (!old) {
            return gate.get().open()
                    ? Optional.empty()
                    : Optional.of(
                            shut(now, gate.get(), GATE_FRESH.minus(gate.get().age())));
        }
        MoveDecision.Act measure = new MoveDecision.Act(
                MovePhase.READY,
                MoveStep.GATE,
                now.seen().task().scopes(),
                "the hold is predicted before every switch");
        return Optional.of(
                gate.isPresent() && !gate.get().open()
                        ? MoveDecision.Aside.beside(shut(now, gate.get(), GATE_FRESH), measure)
                        : measure);
    }

    /** The same words while the mover measures again. */
    static Optional<MoveDecision> measuring(Situation now) {
        Optional<MoveObservation.Gate> gate = now.seen().mover().gate();
        return now.runs(MoveStep.GATE) && gate.isPresent() && !gate.get().open()
                ? Optional.of(shut(now, gate.get(), GATE_FRESH))
                : Optional.empty();
    }

    private static MoveDecision.Wait shut(Situation now, MoveObservation.Gate gate, Duration atMost) {
        boolean lasting = gate.shutFor().compareTo(GATE_PATIENCE) >= 0;
        return new MoveDecision.Wait(
                MovePhase.READY,
                gate.reason(),
                "a gate that is open",
                Optional.of(now.seen().now().plus(atMost)),
                lasting ? sessions(gate.sessions(), "has a transaction open on the buckets") : List.of(),
                lasting ? Optional.of(gate.cause().advice()) : Optional.empty(),
                true,
                false);
    }

    static Optional<MoveDecision> next(Situation now) {
        SortedSet<Scope> group = firstGroup(now, now.standing().waiting());
        return now.act(MovePhase.SWITCHING, MoveStep.SWITCH, group, "all gates are open and fresh");
    }

    private static SortedSet<Scope> firstGroup(Situation now, SortedSet<Scope> among) {
        for (SortedSet<Scope> group : now.seen().task().groups()) {
            SortedSet<Scope> part = new TreeSet<>(group);
            part.retainAll(among);
            if (!part.isEmpty()) {
                return part;
            }
        }
        throw new IllegalArgumentException("no bucket of " + among + " belongs to the move");
    }
}
