package io.shardwright.controllers.bucketmove;

import io.shardwright.controllers.MovePhases;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.planning.arbiter.Candidate;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.routing.RoutingTable;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The moves of a cluster as the arbiter sees them. */
final class Peers {
    private Peers() {}

    /** Those that take part: not terminal, and not refused before they began. */
    static List<Candidate> candidates(Stream<BucketMove> moves, Optional<RoutingTable> table) {
        return moves.filter(move -> !MovePhases.of(move).terminal())
                .filter(move -> !refused(move))
                .map(move -> candidate(move, table))
                .toList();
    }

    private static boolean refused(BucketMove move) {
        return MovePhases.of(move) == MovePhase.PENDING
                && move.getStatus() != null
                && Conditions.find(move.getStatus().conditions(), ConditionType.ACCEPTED)
                        .filter(accepted -> !accepted.isTrue())
                        .isPresent();
    }

    static Candidate candidate(BucketMove move, Optional<RoutingTable> table) {
        boolean folded = MovePhases.of(move) != MovePhase.PENDING
                && table.filter(published -> move.getSpec().buckets().stream()
                                .allMatch(
                                        bucket -> bucket < published.bucketMap().buckets()
                                                && published
                                                        .bucketMap()
                                                        .get(bucket)
                                                        .equals(move.getSpec().to())))
                        .isPresent();
        return new Candidate(
                move.getMetadata().getName(),
                move.getSpec().from(),
                move.getSpec().to(),
                new TreeSet<>(move.getSpec().buckets()),
                MovePhases.of(move),
                folded,
                Instant.parse(move.getMetadata().getCreationTimestamp()));
    }
}
