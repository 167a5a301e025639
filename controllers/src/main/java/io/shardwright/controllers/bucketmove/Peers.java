package io.shardwright.controllers.bucketmove;

import io.shardwright.controllers.MovePhases;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.meaning.Policies;
import io.shardwright.planning.arbiter.Candidate;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.Stream;

/** The moves of a cluster as the arbiter sees them. */
final class Peers {
    private Peers() {}

    /** Those that take part: not terminal, and not refused before they began. */
    static List<Candidate> candidates(
            Stream<BucketMove> moves, Optional<ShardCluster> cluster, Optional<RoutingTable> table) {
        return moves.filter(move -> !MovePhases.of(move).terminal())
                .filter(move -> !refused(move))
                .map(move -> candidate(move, cluster, table))
                .toList();
    }

    private static boolean refused(BucketMove move) {
        return MovePhases.of(move) == MovePhase.PENDING
                && move.getStatus() != null
                && Conditions.find(move.getStatus().conditions(), ConditionType.ACCEPTED)
                        .filter(accepted -> !accepted.isTrue())
                        .isPresent();
    }

    static Candidate candidate(BucketMove move, Optional<ShardCluster> cluster, Optional<RoutingTable> table) {
        SortedSet<Scope> scopes = MoveScopes.of(move, cluster, table, Policies.specOf(Optional.empty()));
        return new Candidate(
                move.getMetadata().getName(),
                move.getSpec().from(),
                move.getSpec().to(),
                scopes,
                MovePhases.of(move),
                MovePhases.ofReversal(move).filter(phase -> !phase.terminal()),
                folded(move, scopes, table),
                Instant.parse(move.getMetadata().getCreationTimestamp()));
    }

    /** A reversal that has ended has no table to write any more, whichever shard kept the buckets. */
    private static boolean folded(BucketMove move, SortedSet<Scope> scopes, Optional<RoutingTable> table) {
        if (MovePhases.of(move) == MovePhase.PENDING) {
            return false;
        }
        if (MovePhases.ofReversal(move).filter(MovePhase::terminal).isPresent()) {
            return true;
        }
        String to = MovePhases.reverses(move)
                ? move.getSpec().from()
                : move.getSpec().to();
        return table.filter(published -> scopes.stream().allMatch(scope -> owns(published, scope, to)))
                .isPresent();
    }

    private static boolean owns(RoutingTable table, Scope scope, String shard) {
        return MoveScopes.isOfTable(scope, table) && table.owner(scope).equals(shard);
    }
}
