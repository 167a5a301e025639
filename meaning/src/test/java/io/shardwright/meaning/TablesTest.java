package io.shardwright.meaning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.Role;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardEntry;
import io.shardwright.routing.ShardRole;
import io.shardwright.routing.TableOrder;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TablesTest {
    private static final String STORED = """
            metadata: {name: orders, namespace: shop, generation: 9}
            spec:
              revision: 7
              incarnation: 2
              writerEpoch: 3
              cluster: orders
              engine: PostgreSQL
              buckets: 8
              hash: MD5
              keyType: UUID
              bucketMap: ds-0*5,ds-1*3
              epochs: 1*7,4*1
              pins: {k: ds-1}
              handovers: [{buckets: [{bucket: 2, epoch: 5}], to: ds-1, visibleTo: [worker, web]}]
              shards:
                ds-0: {role: General, primary: {host: a.db, port: 5432}}
                ds-1: {role: Dedicated, primary: {host: b.db, port: 5433}}
            """;

    @Test
    void everyFieldOfAStoredTableIsInItsValue() {
        var table = Tables.table(Serialization.unmarshal(STORED, RoutingTable.class));

        assertThat(table.order()).isEqualTo(new TableOrder(2, 7, 9));
        assertThat(table.writerEpoch()).isEqualTo(3);
        assertThat(table.cluster()).isEqualTo("orders");
        assertThat(table.engine()).isEqualTo("PostgreSQL");
        assertThat(table.keyType()).isEqualTo(KeyType.UUID);
        assertThat(table.bucketing().buckets()).isEqualTo(8);
        assertThat(table.bucketMap().encode()).isEqualTo("ds-0*5,ds-1*3");
        assertThat(table.epochs().encode()).isEqualTo("1*7,4*1");
        assertThat(table.pins()).isEqualTo(Map.of("k", "ds-1"));
        assertThat(table.shards().get("ds-1")).isEqualTo(new ShardEntry(ShardRole.DEDICATED, "b.db", 5433));
        assertThat(table.handovers()).singleElement().satisfies(handover -> {
            assertThat(handover.scopes()).isEqualTo(Map.of(Scope.bucket(2), 5L));
            assertThat(handover.to()).isEqualTo("ds-1");
            assertThat(handover.visibleTo()).isEqualTo(Set.of(Role.WORKER, Role.WEB));
        });
    }

    @Test
    void aMapThatDoesNotCoverEveryBucketIsMalformed() {
        RoutingTable torn = Serialization.unmarshal(STORED.replace("ds-1*3", "ds-1*2"), RoutingTable.class);

        assertThatIllegalArgumentException().isThrownBy(() -> Tables.table(torn));
    }
}
