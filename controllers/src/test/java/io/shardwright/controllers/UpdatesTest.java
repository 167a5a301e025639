package io.shardwright.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionStatus;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.crds.shardcluster.ShardClusterStatus.Routing;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UpdatesTest {
    private static BucketMove move(String phase, long rows) {
        BucketMove move = new BucketMove();
        move.getMetadata().setGeneration(1L);
        move.setStatus(new BucketMoveStatus(
                1L,
                phase,
                new BucketMoveStatus.Progress(rows, 100L, 1L, 0L, null),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null));
        return move;
    }

    private static ShardCluster cluster(long revision, ConditionStatus reachable) {
        ShardCluster cluster = new ShardCluster();
        cluster.getMetadata().setGeneration(1L);
        cluster.setStatus(new ShardClusterStatus(
                1L,
                2,
                null,
                new Routing(revision, null),
                null,
                null,
                null,
                null,
                List.of(Condition.of(
                        ConditionType.REACHABLE, reachable, Reason.ALL_REACHABLE, "", 1L, Instant.EPOCH))));
        return cluster;
    }

    @Test
    void progressOfAMoveConcernsNobodyElse() {
        assertThat(Updates.changesPhase(move("Copying", 20), move("Copying", 10)))
                .isFalse();
        assertThat(Updates.changesPhase(move("Verifying", 20), move("Copying", 20)))
                .isTrue();
    }

    @Test
    void aPolicyIsConcernedByTheEndOfAMoveAndByItsSoak() {
        assertThat(Updates.endsMove(move("Reversible", 20), move("Publishing", 20)))
                .isTrue();
        assertThat(Updates.endsMove(move("Reversing", 20), move("Reversible", 20)))
                .isTrue();
        assertThat(Updates.endsMove(move("Verifying", 20), move("Copying", 20))).isFalse();
        assertThat(Updates.endsMove(move("Succeeded", 20), move("CleaningUp", 20)))
                .isTrue();
    }

    @Test
    void acknowledgementsOfAClusterConcernNobodyElseAndItsConditionsDo() {
        ShardCluster before = cluster(7, ConditionStatus.TRUE);
        ShardCluster annotated = cluster(7, ConditionStatus.TRUE);
        annotated.getMetadata().setAnnotations(Map.of("shardwright.io/maintenance", "dba: upgrade"));

        assertThat(Updates.mattersToOthers(cluster(8, ConditionStatus.TRUE), before))
                .isFalse();
        assertThat(Updates.mattersToOthers(cluster(7, ConditionStatus.FALSE), before))
                .isTrue();
        assertThat(Updates.mattersToOthers(annotated, before)).isTrue();
    }
}
