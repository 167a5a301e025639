package io.shardwright.controllers.bucketmove;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.crds.ClusterRef;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.meaning.Policies;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.routing.RoutingTable;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MoveAdmissionTest {
    private static final ShardCluster CLUSTER = Serialization.unmarshal("""
            apiVersion: shardwright.io/v1alpha1
            kind: ShardCluster
            metadata: {name: orders, namespace: shop, generation: 1}
            spec:
              engine: PostgreSQL
              database: shop
              sharding: {buckets: 4, hash: MD5, keyType: Int64, tables: [{name: orders, shardKey: tenant_id}]}
              access: {operator: {secretRef: {name: op}}, tls: {mode: Disable}}
              routers: [{role: Web, podSelector: {matchLabels: {app: web}}}]
              shards:
              - {name: ds-0, instances: [{name: a, host: ds-0, port: 5432}]}
              - {name: ds-1, role: Dedicated, instances: [{name: a, host: ds-1, port: 5432}]}
            """, ShardCluster.class);

    private final BucketMove move = new BucketMove();

    MoveAdmissionTest() {
        move.getMetadata().setName("by-hand");
        move.getMetadata().setNamespace("shop");
        move.setSpec(new BucketMoveSpec(
                new ClusterRef("orders"), "ds-0", "ds-1", List.of(1), null, null, null, BucketMoveSpec.Intent.RUN));
    }

    private Optional<SeenMove.Refusal> judge(MovePhase stored, Optional<ShardCluster> cluster) {
        return judge(stored, cluster, Optional.empty());
    }

    private Optional<SeenMove.Refusal> judge(
            MovePhase stored, Optional<ShardCluster> cluster, Optional<RoutingTable> table) {
        var scopes = MoveScopes.of(move, cluster, table, Policies.specOf(Optional.empty()));
        return new MoveAdmission(move, stored, scopes).judge(cluster, table);
    }

    @Test
    void aMoveWithoutItsClusterMayBeDeletedBeforeItBegins() {
        assertThat(judge(MovePhase.PENDING, Optional.empty()).orElseThrow().message())
                .endsWith("create it, or delete this move");
    }

    @Test
    void aMoveThatHasBegunNeedsItsClusterAndNamesTheWayOutWhenItIsDeleted() {
        assertThat(judge(MovePhase.COPYING, Optional.empty()).orElseThrow().message())
                .contains("create it again")
                .doesNotContain("delete this move", "force-remove");

        move.getMetadata().setDeletionTimestamp("2026-03-01T08:00:00Z");

        assertThat(judge(MovePhase.COPYING, Optional.empty()).orElseThrow().message())
                .contains("kubectl annotate bucketmove by-hand -n shop shardwright.io/force-remove=");
    }

    @Test
    void aTargetThatBecameDedicatedStopsNoMoveThatHasBegun() {
        assertThat(judge(MovePhase.PENDING, Optional.of(CLUSTER)))
                .hasValueSatisfying(refusal -> assertThat(refusal.reason()).isEqualTo(Reason.SHARD_NOT_GENERAL));

        assertThat(judge(MovePhase.SWITCHING, Optional.of(CLUSTER))).isEmpty();
    }

    @Test
    void whoOwnsTheBucketsRefusesNoMoveThatIsOnItsWayBack() {
        assertThat(judge(MovePhase.REVERSING, Optional.of(CLUSTER))).isEmpty();
        assertThat(judge(MovePhase.REVERSIBLE, Optional.of(CLUSTER))).isEmpty();
    }
}
