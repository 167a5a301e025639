package io.shardwright.plugin;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.planning.moves.MovePhase;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The phase of a move as its status tells it: a text, because an operator that is newer than the plugin may have more of them. */
public final class Phases {
    private static final Set<String> ENDS = Stream.of(MovePhase.values())
            .filter(MovePhase::terminal)
            .map(MovePhase::wire)
            .collect(Collectors.toSet());

    private Phases() {}

    /** Pending before the first status. */
    public static String of(BucketMove move) {
        return move.getStatus() == null || move.getStatus().phase() == null
                ? MovePhase.PENDING.wire()
                : move.getStatus().phase();
    }

    public static boolean hasEnded(BucketMove move) {
        return isEnd(of(move));
    }

    /** Also of the phase of a reversal. */
    public static boolean isEnd(String phase) {
        return ENDS.contains(phase);
    }
}
