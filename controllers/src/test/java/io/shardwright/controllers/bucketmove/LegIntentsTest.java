package io.shardwright.controllers.bucketmove;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.ClusterRef;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.planning.moves.MoveObservation.Intent;
import io.shardwright.planning.moves.MoveObservation.Leg;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LegIntentsTest {
    private static BucketMove move(BucketMoveSpec.Intent intent, boolean deleted) {
        BucketMove move = new BucketMove();
        move.setSpec(
                new BucketMoveSpec(new ClusterRef("orders"), "ds-0", "ds-1", List.of(1), null, null, null, intent));
        if (deleted) {
            move.getMetadata().setDeletionTimestamp("2026-03-01T08:00:00Z");
        }
        return move;
    }

    @ParameterizedTest
    @CsvSource({
        "RUN, RUN, ABORT",
        "PAUSE, PAUSE, PAUSE",
        "ABORT, ABORT, ABORT",
        "REVERSE, REVERSE, RUN",
        "COMPLETE, COMPLETE, ABORT"
    })
    void eachLegHasItsOwnIntent(BucketMoveSpec.Intent wanted, Intent there, Intent back) {
        BucketMove move = move(wanted, false);

        assertThat(LegIntents.of(move, Leg.THERE, true)).isEqualTo(there);
        assertThat(LegIntents.of(move, Leg.THERE, false)).isEqualTo(there);
        assertThat(LegIntents.of(move, Leg.BACK, false)).isEqualTo(back);
    }

    @ParameterizedTest
    @CsvSource({
        "RUN, ABORT, ABORT, ABORT",
        "PAUSE, ABORT, PAUSE, PAUSE",
        "ABORT, ABORT, ABORT, ABORT",
        "REVERSE, ABORT, REVERSE, RUN",
        "COMPLETE, ABORT, COMPLETE, ABORT"
    })
    void aDeletionTakesBackWhatIsNotSwitchedAndLeavesTheRestToTheSpec(
            BucketMoveSpec.Intent wanted, Intent undecided, Intent decided, Intent back) {
        BucketMove move = move(wanted, true);

        assertThat(LegIntents.of(move, Leg.THERE, false)).isEqualTo(undecided);
        assertThat(LegIntents.of(move, Leg.THERE, true)).isEqualTo(decided);
        assertThat(LegIntents.of(move, Leg.BACK, true)).isEqualTo(back);
    }
}
