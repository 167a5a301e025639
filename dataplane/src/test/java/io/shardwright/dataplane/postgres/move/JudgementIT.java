package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.TruthReader;
import java.security.SecureRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the end of a stream changes, and for whom. */
class JudgementIT {
    private static final String ANYWHERE = "0/10";

    private static MovePair pair;

    private Incarnation mover;
    private Judgement judgement;

    @BeforeAll
    static void preparePair() {
        pair = MovePair.upwards();
    }

    @BeforeEach
    void claim() throws MoverFault {
        mover = claimant(pair.task(17));
        judgement = new Judgement(mover, () -> new TruthReader(mover).read());
        setPosition();
    }

    @AfterEach
    void leave() {
        mover.close();
    }

    private static Incarnation claimant(MoveTask task) throws MoverFault {
        Incarnation claimant = new Incarnation(task, new PostgresSessions(), StepBoundary.NONE, new SecureRandom());
        claimant.takeOver();
        return claimant;
    }

    private String ofMove() {
        return " WHERE move_id = '" + mover.moveId() + "'";
    }

    private void setPosition() {
        pair.there.plant("UPDATE shardwright.move_progress SET position = '" + ANYWHERE + "'" + ofMove());
    }

    private String position() {
        return pair.there.value("SELECT position::text FROM shardwright.move_progress" + ofMove());
    }

    @Test
    void aDifferenceForgetsThePositionOnceHoweverManyTellIt() {
        MoverFault differs = MoverFault.diverged("a row is missing");
        assertThat(judgement.of(differs)).isSameAs(differs);
        assertThat(position()).isNull();

        setPosition(); // as whoever has prepared again since
        assertThat(judgement.of(differs)).isSameAs(differs);

        assertThat(position()).isEqualTo(ANYWHERE);
        judgement.of(MoverFault.diverged("another row is missing"));
        assertThat(position()).isNull();
    }

    /** A stream that resumes meets the old shape in the log again, whatever the tables look like by then. */
    @Test
    void aTableThatHasChangedIsCopiedAgain() {
        MoverFault changed = MoverFault.schemaChanged("orders has changed");
        assertThat(judgement.of(changed)).isSameAs(changed);
        assertThat(position()).isNull();
    }

    @Test
    void whatSaysNothingOfTheRowsForgetsNothing() {
        MoverFault closed = MoverFault.closed();
        assertThat(judgement.of(closed)).isSameAs(closed);
        assertThat(position()).isEqualTo(ANYWHERE);
    }

    /** One that has come without ending the sessions of this mover, so that only the token tells. */
    @Test
    void whoHasASuccessorForgetsNothing() {
        pair.there.plant("UPDATE shardwright.move_progress SET token = 'successor'" + ofMove());

        MoverFault told = judgement.of(MoverFault.diverged("a row is missing"));

        assertThat(told.kind()).isEqualTo(Kind.SUPERSEDED);
        assertThat(position()).isEqualTo(ANYWHERE);
    }
}
