package io.shardwright.plugin.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.plugin.Golden;
import io.shardwright.plugin.Refusal;
import io.shardwright.plugin.Shop;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** MD5("42") begins with a1d0c6e8: 2714814184, so the key lies in bucket 84 of 100. */
class KeyReadingTest {
    private static final ShardCluster CLUSTER = Shop.cluster(100, Map.of("ds-0", 100, "ds-1", 100));
    private static final String HALVES = "ds-0*50,ds-1*50";

    @Test
    void aKeyIsWhereItsBucketIs() {
        Explanation found = explain("42", Shop.table(HALVES, 100));

        assertThat(found.hashValue()).isEqualTo(2_714_814_184L);
        assertThat(found.bucket()).isEqualTo(84);
        assertThat(found.owner()).isEqualTo("ds-1");
        assertThat(found.rule()).isEqualTo("bucket");
        assertThat(found.primary()).isEqualTo("ds-1-a.db:5432");
        Golden.check("explain-bucket", found.text());
    }

    @Test
    void twoSpellingsOfAKeyAreOneKey() {
        assertThat(explain("0042", Shop.table(HALVES, 100))).isEqualTo(explain("42", Shop.table(HALVES, 100)));
    }

    @Test
    void aPinComesBeforeTheHash() {
        Explanation found = explain("42", Shop.table(HALVES, 100, "pins: {\"42\": ds-hot}"));

        assertThat(found.owner()).isEqualTo("ds-hot");
        assertThat(found.workers()).isEqualTo("ds-hot");
        assertThat(found.rule()).isEqualTo("pin");
        assertThat(found.epoch()).isZero();
        Golden.check("explain-pin", found.text());
    }

    @Test
    void aHandoverThatIsVisibleToWorkersLeadsOnlyThemToTheNewOwner() {
        RoutingTable table = Shop.table(
                HALVES, 100, "handovers: [{buckets: [{bucket: 84, epoch: 2}], to: ds-0, visibleTo: [worker]}]");

        Explanation found = explain("42", table, move("Switching"), move("Succeeded"));

        assertThat(found.owner()).isEqualTo("ds-1");
        assertThat(found.workers()).isEqualTo("ds-0");
        assertThat(found.web()).isEqualTo("ds-1");
        assertThat(found.moves()).extracting(Explanation.Move::phase).containsExactly("Switching");
        Golden.check("explain-handover", found.text());
    }

    /** On its way home: the move of its bucket is none of its own. */
    @Test
    void aHandoverOfTheKeyGoesBeforeItsPin() {
        RoutingTable table = Shop.table(
                HALVES,
                100,
                "pins: {\"42\": ds-hot}",
                "handovers: [{keys: [{key: \"42\", epoch: 3}], to: ds-1, visibleTo: [worker]}]");
        BucketMove home = move("Publishing");
        home.setSpec(new io.shardwright.crds.bucketmove.BucketMoveSpec(
                home.getSpec().clusterRef(), "ds-hot", "ds-1", null, List.of("42"), null, null, null));

        Explanation found = explain("42", table, home, move("Switching"));

        assertThat(found.owner()).isEqualTo("ds-hot");
        assertThat(found.workers()).isEqualTo("ds-1");
        assertThat(found.web()).isEqualTo("ds-hot");
        assertThat(found.moves()).extracting(Explanation.Move::phase).containsExactly("Publishing");
    }

    @Test
    void aHandoverThatIsOnlyAnnouncedLeadsNobody() {
        RoutingTable table =
                Shop.table(HALVES, 100, "handovers: [{buckets: [{bucket: 84, epoch: 2}], to: ds-0, visibleTo: []}]");

        Explanation found = explain("42", table);

        assertThat(List.of(found.workers(), found.web())).containsOnly("ds-1");
        assertThat(found.text()).contains("announced, and visible to nobody yet");
    }

    @Test
    void aHandoverOfAnotherBucketIsNotTold() {
        RoutingTable table =
                Shop.table(HALVES, 100, "handovers: [{buckets: [{bucket: 83, epoch: 2}], to: ds-0, visibleTo: []}]");

        assertThat(explain("42", table).handover()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"abc", "4.2", "", "+42", "9223372036854775808", "4 2"})
    void whatIsNoKeyOfTheClustersTypeIsRefusedWithAnExample(String text) {
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> explain(text, Shop.table(HALVES, 100)))
                .satisfies(refusal -> {
                    assertThat(refusal).hasMessage("'" + text + "' is no key of type Int64");
                    assertThat(refusal.nextAction()).contains("a whole number of 64 bits, like 42");
                });
    }

    @Test
    void aTableOfAnEarlierClusterOfThatNameExplainsNothing() {
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> explain("42", Shop.table("ds-0*64,ds-1*64", 128)))
                .withMessageContaining("of an earlier cluster of that name");
    }

    @Test
    void withoutATableNoKeyHasAShard() {
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> KeyReading.explain(CLUSTER, Optional.empty(), List.of(), "42"))
                .satisfies(refusal -> {
                    assertThat(refusal).hasMessageContaining("has no routing table yet");
                    assertThat(refusal.nextAction()).contains("kubectl -n shop describe shardcluster orders");
                });
    }

    private static BucketMove move(String phase) {
        BucketMove move = Shop.move("Run", "{phase: " + phase + "}");
        var spec = move.getSpec();
        move.setSpec(new io.shardwright.crds.bucketmove.BucketMoveSpec(
                spec.clusterRef(), "ds-1", "ds-0", List.of(84), null, null, null, null));
        return move;
    }

    private static Explanation explain(String key, RoutingTable table, BucketMove... moves) {
        return KeyReading.explain(CLUSTER, Optional.of(table), List.of(moves), key);
    }
}
