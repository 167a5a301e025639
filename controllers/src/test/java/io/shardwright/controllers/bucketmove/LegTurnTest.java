package io.shardwright.controllers.bucketmove;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.moves.MoveObservation.Leg;
import org.junit.jupiter.api.Test;

class LegTurnTest {
    private final LegTurn turn = new LegTurn();

    @Test
    void whatWasReadBeforeTheFirstPassCounts() {
        turn.note(Leg.THERE, 100);
        turn.note(Leg.THERE, 200);

        assertThat(turn.covers(50)).isTrue();
    }

    @Test
    void whatAMoverHadReadBeforeItsTurnIsOld() {
        turn.note(Leg.THERE, 100);
        turn.note(Leg.BACK, 200);
        turn.note(Leg.BACK, 300);

        assertThat(turn.covers(199)).isFalse();
        assertThat(turn.covers(200)).isTrue();

        turn.note(Leg.THERE, 400);

        assertThat(turn.covers(350)).isFalse();
    }
}
