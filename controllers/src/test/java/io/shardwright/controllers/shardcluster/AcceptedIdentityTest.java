package io.shardwright.controllers.shardcluster;

import static io.shardwright.controllers.shardcluster.Sight.guarded;
import static io.shardwright.controllers.shardcluster.Sight.published;
import static io.shardwright.controllers.shardcluster.Sight.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Reason;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that was upgraded or restored has another identity, and the data of the shard. */
class AcceptedIdentityTest {
    private static final ShardClusterStatus BEFORE =
            guarded().table(published()).status();

    /** Everything that ds-1 owned, as it was. */
    private static Map<Integer, FenceRow> everything() {
        return new TreeMap<>(Map.of(2, row(2, FenceState.OWNED, 1, "ds-1"), 3, row(3, FenceState.OWNED, 1, "ds-1")));
    }

    private static Sight upgraded(Map<Integer, FenceRow> fence) {
        return guarded().leads("ds-1", "system-new", fence).table(published()).after(BEFORE);
    }

    private static void isRefused(Sight sight, String... words) {
        assertThat(sight.plan().decision()).isInstanceOfSatisfying(ClusterPlan.Refuse.class, refuse -> {
            assertThat(refuse.about()).isEqualTo(ConditionType.REACHABLE);
            assertThat(refuse.reason()).isEqualTo(Reason.IDENTITY_CHANGED);
            assertThat(refuse.message()).contains(words);
        });
        assertThat(sight.plan().table()).isEmpty();
        assertThat(sight.status().shards().get("ds-1").systemIdentifier()).isEqualTo("system-ds-1");
    }

    @Test
    void theAdviceIsTheCommandThatAcceptsIt() {
        assertThat(upgraded(everything()).status().nextAction())
                .contains(
                        "correct the endpoints of ds-1",
                        "the old one is off",
                        "kubectl annotate shardcluster orders -n shop --overwrite"
                                + " shardwright.io/accept-identity=system-new");
    }

    @Test
    void whatAPersonNamesIsNotedAndRoutersAreLedThere() {
        Sight accepted = upgraded(everything()).accepting("system-new");

        assertThat(accepted.plan().decision()).isEqualTo(new ClusterPlan.Guarded());
        assertThat(accepted.status().shards().get("ds-1").systemIdentifier()).isEqualTo("system-new");
        var table = accepted.plan().table().orElseThrow().apply(published());
        assertThat(table.shards().get("ds-1").host()).isEqualTo("host-of-system-new");
        assertThat(table.bucketMap()).isEqualTo(published().bucketMap());
        assertThat(table.epochs()).isEqualTo(published().epochs());
    }

    @Test
    void itIsObeyedOnce() {
        ShardClusterStatus noted =
                upgraded(everything()).accepting("system-new").status();

        assertThat(upgraded(everything()).after(noted).plan().decision())
                .as("without the annotation")
                .isEqualTo(new ClusterPlan.Guarded());
        assertThat(guarded()
                        .leads("ds-1", "system-ds-1", everything())
                        .table(published())
                        .after(noted)
                        .accepting("system-new")
                        .plan()
                        .decision())
                .as("the old server comes back")
                .isInstanceOf(ClusterPlan.Refuse.class);
    }

    @Test
    void anotherSystemThanTheOneThatIsNamedIsRefusedAsBefore() {
        isRefused(upgraded(everything()).accepting("system-other"), "was the database system system-ds-1");
    }

    @Test
    void theServerOfAnotherShardIsNotAccepted() {
        Sight swapped = guarded()
                .leads("ds-1", "system-ds-0", Map.of(0, row(0, FenceState.OWNED, 1, "ds-0")))
                .table(published())
                .after(BEFORE)
                .accepting("system-ds-0");

        assertThat(swapped.plan().decision())
                .isInstanceOfSatisfying(
                        ClusterPlan.Refuse.class,
                        refuse -> assertThat(refuse.reason()).isEqualTo(Reason.DUPLICATE_ENDPOINT));
    }

    @ParameterizedTest
    @CsvSource({
        "2,,0,no row of it",
        "2,MOVED,1,MOVED with epoch 1",
        "2,IMPORTING,1,IMPORTING with epoch 1",
        "2,OWNED,0,OWNED with epoch 0",
        "0,OWNED,1,belongs to ds-0"
    })
    void aFenceThatIsNotTheShardsIsNamedAndNothingIsNoted(int bucket, FenceState state, long epoch, String words) {
        Map<Integer, FenceRow> fence = everything();
        fence.remove(bucket);
        if (state != null) {
            fence.put(bucket, row(bucket, state, epoch, "ds-1"));
        }

        isRefused(upgraded(fence).accepting("system-new"), "bucket " + bucket, words, "is not accepted");
    }

    @Test
    void whatTheFenceKnowsBetterThanTheTableIsNoFault() {
        Map<Integer, FenceRow> fence = everything();
        fence.put(2, row(2, FenceState.MOVED, 2, "ds-0"));
        fence.put(1, row(1, FenceState.OWNED, 5, "ds-1"));

        assertThat(upgraded(fence)
                        .sees("ds-0", 1, 0, 2)
                        .accepting("system-new")
                        .status()
                        .shards()
                        .get("ds-1")
                        .systemIdentifier())
                .isEqualTo("system-new");
    }

    @Test
    void aMoveThatHasBegunThereEndsFirst() {
        isRefused(
                upgraded(everything()).moving(2, "ds-1", MovePhase.REVERSIBLE).accepting("system-new"),
                "moves have begun there: orders-1");
        assertThat(upgraded(everything())
                        .moving(2, "ds-1", MovePhase.PENDING)
                        .accepting("system-new")
                        .plan()
                        .decision())
                .isEqualTo(new ClusterPlan.Guarded());
    }
}
