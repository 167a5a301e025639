package io.shardwright.planning.arbiter;

import io.shardwright.planning.moves.MoveDecision.Blocker;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.windows.Closure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The maintenance arbiter of one cluster: which moves may begin, and which may switch. It saves work and latency; safety
 * does not rest on it, because the fence refuses a second move of a bucket and a lock admits one drain per database.
 *
 * <p>Order: moves that have begun, then by age, then by name. So each waits only for those before it, and somebody always
 * goes on.
 */
public final class MaintenanceArbiter {
    private static final Comparator<Candidate> ORDER = Comparator.comparing(
                    (Candidate move) -> move.phase() == MovePhase.PENDING)
            .thenComparing(Candidate::created)
            .thenComparing(Candidate::name);

    private MaintenanceArbiter() {}

    /**
     * Whom a move waits for; all are empty when it is free to go on.
     *
     * @param start before it may begin; only for a move that has not
     * @param hold before any further step
     * @param switching before it may switch
     * @param closed before it may begin a switch, or pass its point of no return; the same for all
     */
    public record Verdict(List<Blocker> start, List<Blocker> hold, List<Blocker> switching, Optional<Closure> closed) {
        public Verdict {
            start = List.copyOf(start);
            hold = List.copyOf(hold);
            switching = List.copyOf(switching);
        }
    }

    /**
     * Judges all moves of a cluster that have not ended.
     *
     * @param moves without those whose spec is refused: they would keep others waiting for ever
     * @return a verdict for each by name; those that may begin together never disturb each other
     */
    public static Map<String, Verdict> judge(ClusterRules rules, List<Candidate> moves) {
        List<Candidate> ordered = moves.stream()
                .filter(move -> !move.phase().terminal())
                .sorted(ORDER)
                .toList();
        List<Candidate> admitted = new ArrayList<>(ordered.stream()
                .filter(move -> move.phase() != MovePhase.PENDING)
                .toList());
        Map<String, Verdict> verdicts = new TreeMap<>();
        for (Candidate move : ordered) {
            List<Blocker> start = List.of();
            if (move.phase() == MovePhase.PENDING) {
                start = beforeStart(rules, move, admitted, ordered);
                if (start.isEmpty()) {
                    admitted.add(move);
                }
            }
            verdicts.put(move.name(), new Verdict(start, hold(rules), switching(move, ordered), rules.closed()));
        }
        return verdicts;
    }

    private static List<Blocker> beforeStart(
            ClusterRules rules, Candidate move, List<Candidate> admitted, List<Candidate> ordered) {
        List<Blocker> blockers = new ArrayList<>(hold(rules));
        rules.maintenance()
                .ifPresent(who -> blockers.add(
                        new Blocker("ShardCluster", rules.cluster(), "maintenance is announced by " + who)));
        rules.closed().map(Blocker::of).ifPresent(blockers::add);
        for (Candidate other : ordered) {
            if (other == move) {
                break;
            }
            if (other.meets(move)) {
                blockers.add(blocker(other, "moves a bucket or a key of the same set"));
            }
        }
        List<Candidate> active =
                admitted.stream().filter(MaintenanceArbiter::takesASlot).toList();
        active.stream()
                .filter(other -> other.samePairAs(move) && !other.meets(move))
                .forEach(other -> blockers.add(blocker(other, "moves between the same two shards")));
        if (blockers.isEmpty() && active.size() >= rules.maxConcurrentMoves()) {
            active.forEach(other -> blockers.add(
                    blocker(other, "is under way, and maxConcurrentMoves is " + rules.maxConcurrentMoves())));
        }
        return blockers;
    }

    /** Begun and not yet folded, or admitted in this very round. */
    private static boolean takesASlot(Candidate move) {
        return move.active() || move.phase() == MovePhase.PENDING;
    }

    private static List<Blocker> hold(ClusterRules rules) {
        return rules.suspended()
                ? List.of(new Blocker("ShardCluster", rules.cluster(), "is suspended (spec.suspend)"))
                : List.of();
    }

    /** One switch at a time per database; of two that are in it already the later one waits. */
    private static List<Blocker> switching(Candidate move, List<Candidate> ordered) {
        List<Blocker> blockers = new ArrayList<>();
        boolean before = true;
        for (Candidate other : ordered) {
            if (other == move) {
                before = false;
            } else if (other.switching() && other.sharesDatabaseWith(move) && (before || !move.switching())) {
                blockers.add(blocker(other, "is switching on one of the two shards"));
            }
        }
        return blockers;
    }

    private static Blocker blocker(Candidate other, String reason) {
        return new Blocker("BucketMove", other.name(), reason);
    }
}
