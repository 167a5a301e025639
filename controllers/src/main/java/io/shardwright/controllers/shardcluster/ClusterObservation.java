package io.shardwright.controllers.shardcluster;

import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.leftovers.Finding;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.table.LostHistory;
import io.shardwright.planning.table.Witness;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Everything that decisions about a cluster look at, read in one pass.
 *
 * @param access the logins; a text when a Secret cannot be read
 * @param sight newest picture of the shards as they are declared now
 * @param scan what the last scan of these shards has found
 * @param table the published table
 * @param moves moves of the cluster that are not terminal
 * @param acked who has acknowledged the published table
 * @param overdue routers that have held it for too long
 * @param witnesses who has, or had, which table of the cluster
 * @param lost what they show of the stored table, as the API server has it now
 * @param policy in force for the cluster
 * @param fenceVersion version of the fence that this operator installs
 * @param mirrorFault why pods that mount the table read an older one
 * @param leftovers of moves whose object is gone: what is not swept
 */
public record ClusterObservation(
        ShardCluster cluster,
        Access access,
        Optional<ClusterSight> sight,
        Errands.State errand,
        Optional<Scans.Scan> scan,
        Optional<RoutingTable> table,
        List<ActiveMove> moves,
        Optional<AckGate> acked,
        List<AckGate.Holder> overdue,
        List<Witness> witnesses,
        Optional<LostHistory> lost,
        Optional<ShardPolicy> policy,
        int fenceVersion,
        Optional<String> mirrorFault,
        List<Finding> leftovers) {
    public ClusterObservation {
        moves = List.copyOf(moves);
        overdue = List.copyOf(overdue);
        witnesses = List.copyOf(witnesses);
        leftovers = List.copyOf(leftovers);
    }

    /** The same without what the last look at these shards showed. */
    ClusterObservation without(Set<String> shards) {
        return new ClusterObservation(
                cluster,
                access,
                sight.map(seen -> seen.without(shards)),
                errand,
                scan,
                table,
                moves,
                acked,
                overdue,
                witnesses,
                lost,
                policy,
                fenceVersion,
                mirrorFault,
                leftovers);
    }

    /** @param unreadable why there are no logins */
    public record Access(List<ShardAccess> shards, Optional<String> unreadable) {
        public Access {
            shards = List.copyOf(shards);
        }
    }

    public record ActiveMove(String name, String from, String to, Set<Scope> scopes, MovePhase phase) {
        public ActiveMove {
            scopes = Set.copyOf(scopes);
        }
    }

    /** Moves that have not done yet what was asked; one that soaks has. */
    List<ActiveMove> unfinished() {
        return moves.stream()
                .filter(move -> move.phase() != MovePhase.REVERSIBLE)
                .toList();
    }

    /** Moves that may have touched a database, and that need both of their shards until they end. */
    List<ActiveMove> begun() {
        return moves.stream().filter(move -> move.phase() != MovePhase.PENDING).toList();
    }

    /** Buckets that move whole. */
    Set<Integer> moving() {
        return Scope.bucketsOf(
                movingScopes().stream().filter(scope -> !scope.isKey()).toList());
    }

    /** Buckets and keys. */
    Set<Scope> movingScopes() {
        Set<Scope> moving = new TreeSet<>();
        moves.forEach(move -> moving.addAll(move.scopes()));
        return moving;
    }
}
