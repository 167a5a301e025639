package io.shardwright.controllers.bucketmove;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.crds.ClusterRef;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicySpec;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.TableOrder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Eight buckets by remainder, four on each of ds-0 and ds-1; key 42 lies in bucket 2 and is pinned to ds-hot, key 5 is not pinned. */
class KeyMoveAdmissionTest {
    private static final ShardCluster CLUSTER = Serialization.unmarshal("""
            metadata: {name: orders, namespace: shop, generation: 1}
            spec:
              sharding: {buckets: 8, hash: Modulo, keyType: Int64, tables: [{name: orders, shardKey: tenant_id}]}
              shards:
              - {name: ds-0, instances: [{name: a, host: ds-0, port: 5432}]}
              - {name: ds-1, instances: [{name: a, host: ds-1, port: 5432}]}
              - {name: ds-hot, role: Dedicated, instances: [{name: a, host: ds-hot, port: 5432}]}
              - {name: ds-cold, role: Dedicated, weight: 0, instances: [{name: a, host: ds-cold, port: 5432}]}
            status:
              observedGeneration: 1
              conditions:
              - {type: Accepted, status: "True", reason: Accepted, message: "", lastTransitionTime: ""}
              - {type: Reachable, status: "True", reason: AllReachable, message: "", lastTransitionTime: ""}
              - {type: FenceInstalled, status: "True", reason: Installed, message: "", lastTransitionTime: ""}
            """, ShardCluster.class);

    private static final RoutingTable TABLE = new RoutingTable(
            new TableOrder(1, 1, 1),
            1,
            "orders",
            "PostgreSQL",
            KeyType.INT64,
            new Bucketing(HashFunction.MODULO, 8),
            RunLengthMap.parse("ds-0*4,ds-1*4", 8, owner -> owner),
            RunLengthMap.filled(8, 1L),
            new TreeMap<>(Map.of("42", "ds-hot")),
            List.of(),
            new TreeMap<>());

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "5  | ds-1   | ds-hot", // pinned
                "42 | ds-hot | ds-0", // folded back to the owner of its bucket
                "5  | ds-hot | ds-1", // it is there already
            })
    void aKeyGoesToADedicatedShardOrHome(String key, String from, String to) {
        assertThat(judge(MovePhase.PENDING, key, from, to, false)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "05 | ds-1 | ds-hot | KeyUnfit | spec.keys: 05 is no key of type Int64 in its canonical text: write a whole number of 64 bits without leading zeros, like '42'",
                "kim | ds-1 | ds-hot | KeyUnfit | spec.keys: kim is no key of type Int64",
                "5 | ds-0 | ds-hot | KeyNotOwnedBySource | spec.keys: key 5 is owned by ds-1, not by ds-0: name its owner in a new move",
                "42 | ds-0 | ds-1 | KeyNotOwnedBySource | spec.keys: key 42 is owned by ds-hot, not by ds-0",
                "5 | ds-1 | ds-0 | KeyTargetUnfit | spec.to: ds-0 is a General shard and does not own bucket 5 of key 5: name a Dedicated shard, or ds-1 to fold the key back",
                "5 | ds-1 | ds-cold | KeyTargetUnfit | spec.to: ds-cold is drained (weight 0) and takes no keys: name a Dedicated shard, or ds-1 to fold the key back"
            })
    void everyOtherWayIsRefusedWithAdvice(String key, String from, String to, String reason, String message) {
        assertThat(judge(MovePhase.PENDING, key, from, to, false)).hasValueSatisfying(refusal -> {
            assertThat(refusal.reason().wire()).isEqualTo(reason);
            assertThat(refusal.message()).startsWith(message);
        });
    }

    @Test
    void whatHasBegunGoesOnWhateverBecameOfItsTarget() {
        assertThat(judge(MovePhase.SWITCHING, "5", "ds-1", "ds-cold", false)).isEmpty();
        assertThat(judge(MovePhase.REVERSING, "5", "ds-0", "ds-hot", false)).isEmpty();
    }

    @Test
    void aHiddenKeyIsNotSpeltInARefusal() {
        assertThat(judge(MovePhase.PENDING, "kim", "ds-1", "ds-hot", true))
                .hasValueSatisfying(refusal -> assertThat(refusal.message())
                        .startsWith("spec.keys: sha256:")
                        .doesNotContain("kim"));
    }

    /** What a key is for the fence has its bucket from the cluster, or from the table when the cluster is gone. */
    @Test
    void withoutClusterAndTableAKeyLiesNowhere() {
        BucketMove move = move("42", "ds-hot", "ds-0");

        assertThat(MoveScopes.of(move, Optional.empty(), Optional.of(TABLE), ShardPolicySpec.defaults(null)))
                .isEqualTo(MoveScopes.of(move, Optional.of(CLUSTER), Optional.empty(), ShardPolicySpec.defaults(null)))
                .singleElement()
                .satisfies(scope -> assertThat(scope.bucket()).isEqualTo(2));
        assertThat(MoveScopes.of(move, Optional.empty(), Optional.empty(), ShardPolicySpec.defaults(null)))
                .singleElement()
                .satisfies(
                        scope -> assertThat(MoveScopes.isOfTable(scope, TABLE)).isFalse());
    }

    private static Optional<SeenMove.Refusal> judge(
            MovePhase stored, String key, String from, String to, boolean hashKeys) {
        BucketMove move = move(key, from, to);
        ShardPolicySpec policy = Serialization.unmarshal(
                "clusterRef: {name: orders}\nhotKeys: {hashKeys: " + hashKeys + "}", ShardPolicySpec.class);
        var scopes = MoveScopes.of(move, Optional.of(CLUSTER), Optional.of(TABLE), policy);
        return new MoveAdmission(move, stored, scopes).judge(Optional.of(CLUSTER), Optional.of(TABLE));
    }

    private static BucketMove move(String key, String from, String to) {
        BucketMove move = new BucketMove();
        move.getMetadata().setName("by-hand");
        move.getMetadata().setNamespace("shop");
        move.setSpec(new BucketMoveSpec(
                new ClusterRef("orders"), from, to, null, List.of(key), null, null, BucketMoveSpec.Intent.RUN));
        return move;
    }

    @Test
    void bucketsStillGoToGeneralShardsOnly() {
        BucketMove move = new BucketMove();
        move.getMetadata().setName("by-hand");
        move.getMetadata().setNamespace("shop");
        move.setSpec(new BucketMoveSpec(
                new ClusterRef("orders"), "ds-0", "ds-hot", List.of(1), null, null, null, BucketMoveSpec.Intent.RUN));
        var scopes = MoveScopes.of(move, Optional.of(CLUSTER), Optional.of(TABLE), ShardPolicySpec.defaults(null));

        assertThat(new MoveAdmission(move, MovePhase.PENDING, scopes).judge(Optional.of(CLUSTER), Optional.of(TABLE)))
                .hasValueSatisfying(refusal -> assertThat(refusal.reason()).isEqualTo(Reason.SHARD_NOT_GENERAL));
    }
}
