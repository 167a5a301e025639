package io.shardwright.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.shardwright.controllers.resources.TableResources;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.routingtable.RoutingTableSpec;
import io.shardwright.meaning.Tables;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The process from end to end, with one real shard: what it publishes, and what becomes of a term that is over. */
@ExtendWith(Cluster.Extension.class)
class OperatorProcessIT {
    private final Cluster cluster;

    OperatorProcessIT(Cluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void publishesATableAndEndsWhenANewerLeaderHasWrittenIt() {
        cluster.forgetLease();
        String namespace = cluster.newNamespace();
        Map<String, String> foreign = Map.of("SHARDWRIGHT_OF_SOMEBODY_ELSE", "is not our setting");
        try (OneShardCluster shard = new OneShardCluster(cluster, namespace);
                RunningOperator operator = new RunningOperator(cluster, "old", foreign).awaitLeading()) {
            shard.declare();
            operator.await("to publish", () -> table(namespace) != null);
            RoutingTable published = table(namespace);
            assertThat(published.getSpec().bucketMap()).isEqualTo("ds-0*10");
            assertThat(published.getSpec().writerEpoch()).isEqualTo(1);

            publishAsNewerLeader(published);

            assertThat(operator.exitCode()).isEqualTo(3);
            assertThat(operator.log())
                    .contains("cause=SUPERSEDED", "a listener of steps was found")
                    .doesNotContain(OneShardCluster.password());
            aPublishOfTheOldTermIsRefused(table(namespace));
        }
    }

    private RoutingTable table(String namespace) {
        return cluster.admin()
                .resources(RoutingTable.class)
                .inNamespace(namespace)
                .withName("orders")
                .get();
    }

    private void publishAsNewerLeader(RoutingTable table) {
        table.setSpec(written(table, table.getSpec().writerEpoch() + 1));
        cluster.admin().resource(table).update();
    }

    private void aPublishOfTheOldTermIsRefused(RoutingTable table) {
        table.setSpec(written(table, 1));
        Config old = Config.fromKubeconfig(cluster.operatorKubeconfig().toFile());
        try (KubernetesClient client =
                new KubernetesClientBuilder().withConfig(old).build()) {
            assertThatThrownBy(() -> client.resource(table).update())
                    .isInstanceOf(KubernetesClientException.class)
                    .hasMessageContaining("T2");
        }
    }

    private static RoutingTableSpec written(RoutingTable table, long writerEpoch) {
        io.shardwright.routing.RoutingTable value = Tables.table(table);
        return TableResources.spec(new io.shardwright.routing.RoutingTable(
                value.order(),
                writerEpoch,
                value.cluster(),
                value.engine(),
                value.keyType(),
                value.bucketing(),
                value.bucketMap(),
                value.epochs(),
                value.pins(),
                value.handovers(),
                value.shards()));
    }
}
