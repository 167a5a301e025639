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

/** Follows the moves of a plan to their end and tells every change of phase and every switch. */
public final class MoveFollower {
    private static final Set<String> TERMINAL = Set.of("Succeeded", "Reversed", "Aborted", "Failed");

    /** A move goes to and fro between these for each of its buckets; the switches are told themselves. */
    private static final Set<String> BETWEEN_SWITCHES = Set.of("Ready", "Switching");

    private final Stage stage;
    private final String namespace;
    private final Narrator narrator;
    private final Map<String, String> phases = new HashMap<>();
    private final Set<String> told = new HashSet<>();

    public MoveFollower(Stage stage, String namespace, Narrator narrator) {
        this.stage = stage;
        this.namespace = namespace;
        this.narrator = narrator;
    }

    /** Returns when {@code expected} moves exist and all of them have ended, in order of source shard. */
    public List<BucketMove> follow(int expected, Duration limit) {
        // an informer, not a poll: the story must not take the time of those it tells about
        try (var watched = stage.client()
                .resources(BucketMove.class)
                .inNamespace(namespace)
                .inform()) {
            stage.await(expected + " moves to end", limit, () -> {
                List<BucketMove> moves = inOrder(watched);
                moves.forEach(this::tell);
                bar(moves);
                return moves.size() == expected && moves.stream().allMatch(move -> TERMINAL.contains(phase(move)));
            });
            return inOrder(watched);
        }
    }

    private static List<BucketMove> inOrder(SharedIndexInformer<BucketMove> watched) {
        return watched.getStore().list().stream()
                .sorted(Comparator.comparing(move -> move.getSpec().from()))
                .toList();
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
