package io.shardwright.controllers.shardcluster;

import static io.shardwright.controllers.shardcluster.Sight.guarded;
import static io.shardwright.controllers.shardcluster.Sight.published;
import static io.shardwright.controllers.shardcluster.Sight.row;
import static io.shardwright.controllers.shardcluster.Sight.two;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.Reason;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.crds.shardcluster.ShardClusterStatus.ShardFinding;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a wrong endpoint may leave behind: nothing. */
class ShardIdentitiesTest {
    private static final ShardClusterStatus BEFORE =
            guarded().table(published()).status();

    private static Sight withThird() {
        return guarded().declared("ds-2").table(published()).after(BEFORE);
    }

    private static void nothingIsNoted(ShardFinding finding) {
        assertThat(finding.systemIdentifier()).isNull();
        assertThat(finding.buckets()).isZero();
        assertThat(finding.primary()).isNull();
        assertThat(finding.state()).isEqualTo("Refused");
    }

    @Test
    void aNewShardThatLeadsToAnotherOneIsNotNotedAndItsCorrectionIsEnough() {
        Map<Integer, FenceRow> ofAnother =
                Map.of(2, row(2, FenceState.OWNED, 1, "ds-1"), 3, row(3, FenceState.OWNED, 1, "ds-1"));

        ShardClusterStatus wrong =
                withThird().leads("ds-2", "system-ds-1", ofAnother).status();

        nothingIsNoted(wrong.shards().get("ds-2"));
        assertThat(wrong.shards().get("ds-2").message()).contains("ds-1 and ds-2 lead to the same database system");
        assertThat(wrong.shards().get("ds-1")).isEqualTo(BEFORE.shards().get("ds-1"));
        assertThat(wrong.nextAction()).contains("correct the endpoints of ds-2");

        Sight corrected = withThird().after(wrong).sees("ds-2", 0);

        assertThat(corrected.plan().aside()).isEmpty();
        assertThat(corrected.plan().decision()).isInstanceOf(ClusterPlan.Scan.class);
        assertThat(withThird()
                        .after(wrong)
                        .sees("ds-2", 1)
                        .status()
                        .shards()
                        .get("ds-2")
                        .systemIdentifier())
                .isEqualTo("system-ds-2");
    }

    @ParameterizedTest
    @CsvSource({"1,ds-7,the row names another shard", "1,ds-2,the table knows better", "9,ds-2,a known shard owns it"})
    void aNewShardThatLeadsToAnotherClusterIsNotNoted(long epoch, String owner, String why) {
        ShardClusterStatus wrong = withThird()
                .leads("ds-2", "system-x", Map.of(1, row(1, FenceState.OWNED, epoch, owner)))
                .status();

        nothingIsNoted(wrong.shards().get("ds-2"));
        assertThat(wrong.shards().get("ds-2").message()).as(why).contains("system-x", "bucket 1", "another cluster");
        assertThat(wrong.nextAction()).contains("correct the endpoints of ds-2");
    }

    @Test
    void theFirstLookAtAClusterNotesNoShardOfAnotherOne() {
        Sight wrong = two().sees("ds-0", 0).leads("ds-1", "system-x", Map.of(1, row(1, FenceState.OWNED, 1, "pg-7")));

        assertThat(wrong.plan().decision())
                .isInstanceOfSatisfying(
                        ClusterPlan.Refuse.class,
                        refuse -> assertThat(refuse.reason()).isEqualTo(Reason.IDENTITY_CHANGED));
        nothingIsNoted(wrong.status().shards().get("ds-1"));
    }

    @Test
    void ofTwoNewNamesForOneServerNeitherIsNoted() {
        ShardClusterStatus status = two().leads("ds-0", "system-x", Map.of())
                .leads("ds-1", "system-x", Map.of())
                .status();

        List.of("ds-0", "ds-1").forEach(shard -> nothingIsNoted(status.shards().get(shard)));
        assertThat(status.nextAction()).contains("ds-0", "ds-1");
    }

    @Test
    void aKnownShardThatLeadsElsewhereKeepsItsCountAndChangesNoTable() {
        Map<Integer, FenceRow> elsewhere = Map.of(
                0, row(0, FenceState.OWNED, 9, "ds-1"),
                2, row(2, FenceState.OWNED, 9, "ds-1"),
                3, row(3, FenceState.OWNED, 9, "ds-1"));
        Sight wrong = guarded()
                .leads("ds-1", "system-x", elsewhere)
                .table(published())
                .after(BEFORE);

        assertThat(wrong.plan().decision())
                .isInstanceOfSatisfying(
                        ClusterPlan.Refuse.class,
                        refuse -> assertThat(refuse.reason()).isEqualTo(Reason.IDENTITY_CHANGED));
        assertThat(wrong.plan().table()).isEmpty();
        assertThat(wrong.status().shards().get("ds-1").buckets()).isEqualTo(2);
        assertThat(wrong.status().shards().get("ds-1").systemIdentifier()).isEqualTo("system-ds-1");
        assertThat(guarded().table(published()).after(wrong.status()).plan().decision())
                .isEqualTo(new ClusterPlan.Guarded());
    }
}
