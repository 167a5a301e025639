package io.shardwright.e2e.demo;

import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.stage.Stage;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Follows the moves of a plan and tells every change of phase and every switch. */
final class MoveFollower implements AutoCloseable {
    private static final Set<String> TERMINAL = Set.of("Succeeded", "Reversed", "Aborted", "Failed");

    /** A move goes to and fro between these for each of its buckets; the switches are told themselves. */
    private static final Set<String> BETWEEN_SWITCHES = Set.of("Ready", "Switching");

    private final Stage stage;
    private final Narrator narrator;
    private final int expected;
    private final SharedIndexInformer<BucketMove> watched;
    private final Map<String, String> phases = new HashMap<>();
    private final Set<String> told = new HashSet<>();
    private Set<String> followed = Set.of();

    /** @param expected moves that the plan has */
    MoveFollower(Stage stage, String namespace, Narrator narrator, int expected) {
        this.stage = stage;
        this.narrator = narrator;
        this.expected = expected;
        // an informer, not a poll: the story must not take the time of those it tells about
        watched = stage.client()
                .resources(BucketMove.class)
                .inNamespace(namespace)
                .inform();
    }

    /** Returns when all moves exist, and each has switched its buckets or has ended; other moves may follow from then on. */
    void toTheSwitches(Duration limit) {
        stage.await(expected + " moves to switch", limit, () -> {
            List<BucketMove> moves = inOrder();
            moves.forEach(this::tell);
            bar(moves);
            return moves.size() == expected && moves.stream().allMatch(MoveFollower::switched);
        });
        followed = inOrder().stream().map(MoveFollower::name).collect(Collectors.toSet());
    }

    /** Returns when these moves have ended, in order of source shard. */
    List<BucketMove> toTheEnd(Duration limit) {
        stage.await(expected + " moves to end", limit, () -> {
            inOrder().forEach(this::tell);
            return inOrder().stream().allMatch(move -> TERMINAL.contains(phase(move)));
        });
        return inOrder();
    }

    @Override
    public void close() {
        watched.close();
    }

    private List<BucketMove> inOrder() {
        return watched.getStore().list().stream()
                .filter(move -> followed.isEmpty() || followed.contains(name(move)))
                .sorted(Comparator.comparing(move -> move.getSpec().from()))
                .toList();
    }

    private static boolean switched(BucketMove move) {
        return TERMINAL.contains(phase(move))
                || move.getStatus() != null
                        && move.getStatus().switches().size()
                                == move.getSpec().buckets().size();
    }

    private static String name(BucketMove move) {
        return move.getMetadata().getName();
    }

    private void tell(BucketMove move) {
        String pair = move.getSpec().from() + " -> " + move.getSpec().to();
        String phase = phase(move);
        if (!phase.equals(phases.put(pair, phase)) && !BETWEEN_SWITCHES.contains(phase)) {
            narrator.say("%s  %s", pair, phase);
        }
        if (move.getStatus() == null) {
            return;
        }
        for (BucketMoveStatus.Switch one : move.getStatus().switches()) {
            if (told.add(pair + one.bucket())) {
                narrator.say(
                        "%s  bucket %d switched: writers waited %.1f ms (predicted %.1f)",
                        pair, one.bucket(), one.actualMs(), one.predictedMs());
            }
        }
        String next = move.getStatus().nextAction();
        if (next != null && !next.isBlank() && told.add(pair + next)) {
            narrator.say("%s  next: %s", pair, next);
        }
    }

    private void bar(List<BucketMove> moves) {
        int total =
                moves.stream().mapToInt(move -> move.getSpec().buckets().size()).sum();
        int switched = moves.stream()
                .filter(move -> move.getStatus() != null)
                .mapToInt(move -> move.getStatus().switches().size())
                .sum();
        if (total > 0 && moves.stream().anyMatch(move -> move.getStatus() != null)) {
            narrator.progress(switched, total, "buckets switched");
        }
    }

    private static String phase(BucketMove move) {
        return move.getStatus() == null || move.getStatus().phase() == null
                ? "Pending"
                : move.getStatus().phase();
    }
}
