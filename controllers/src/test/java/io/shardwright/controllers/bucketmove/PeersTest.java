package io.shardwright.controllers.bucketmove;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.controllers.world.MoveStatuses;
import io.shardwright.crds.ClusterRef;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.planning.arbiter.Candidate;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.ShardEntry;
import io.shardwright.routing.ShardRole;
import io.shardwright.routing.TableOrder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PeersTest {
    private static RoutingTable ownedBy(String shard) {
        return new RoutingTable(
                new TableOrder(1, 10, 10),
                1,
                "orders",
                "PostgreSQL",
                KeyType.INT64,
                new Bucketing(HashFunction.MD5, 4),
                RunLengthMap.filled(4, shard),
                RunLengthMap.filled(4, 1L),
                new TreeMap<>(),
                List.of(),
                new TreeMap<>(Map.of(
                        "ds-0", new ShardEntry(ShardRole.GENERAL, "ds-0", 1),
                        "ds-1", new ShardEntry(ShardRole.GENERAL, "ds-1", 1))));
    }

    private static Candidate candidate(MovePhase phase, MovePhase reversal, String owner) {
        BucketMove move = new BucketMove();
        move.getMetadata().setName("there");
        move.getMetadata().setCreationTimestamp("2026-03-01T08:00:00Z");
        move.setSpec(new BucketMoveSpec(new ClusterRef("orders"), "ds-0", "ds-1", List.of(1), null, null, null, null));
        move.setStatus(MoveStatuses.at(
                phase.wire(), reversal == null ? null : new BucketMoveStatus.Reversal(reversal.wire(), null)));
        return Peers.candidate(move, Optional.empty(), Optional.of(ownedBy(owner)));
    }

    @Test
    void aMoveIsFoldedWhenTheTableNamesWhereItsLegLeads() {
        assertThat(candidate(MovePhase.PUBLISHING, null, "ds-0").folded()).isFalse();
        assertThat(candidate(MovePhase.REVERSIBLE, null, "ds-1").folded()).isTrue();
        assertThat(candidate(MovePhase.REVERSING, MovePhase.SWITCHING, "ds-1").folded())
                .isFalse();
        assertThat(candidate(MovePhase.REVERSING, MovePhase.CLEANING_UP, "ds-0").folded())
                .isTrue();
    }

    @Test
    void aReversalThatHasEndedChangesNoTableWhoeverKeptTheBuckets() {
        assertThat(candidate(MovePhase.REVERSING, MovePhase.SUCCEEDED, "ds-0").folded())
                .isTrue();
        assertThat(candidate(MovePhase.REVERSING, MovePhase.ABORTED, "ds-1").folded())
                .isTrue();
    }

    @Test
    void aReversalIsKnownByItsPhaseUntilItHasEnded() {
        assertThat(candidate(MovePhase.BLOCKED, MovePhase.SWITCHING, "ds-1").wayBack())
                .hasValue(MovePhase.SWITCHING);
        assertThat(candidate(MovePhase.REVERSING, MovePhase.SUCCEEDED, "ds-0").wayBack())
                .isEmpty();
    }
}
