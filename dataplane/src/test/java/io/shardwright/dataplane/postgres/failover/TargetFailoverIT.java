package io.shardwright.dataplane.postgres.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.move.MoverDriver;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The target fails over: what it may have forgotten is copied again, and what it must not forget it has not forgotten. */
class TargetFailoverIT {
    private FailoverPair pair;

    @BeforeEach
    void makeWhole() {
        pair = FailoverPair.whole();
    }

    @Test
    @Tag("long")
    void case14AFailoverBeforeTheActivationMakesAnotherCopy() {
        MoveTask task = pair.task(40);
        try (LedgerWriter writer = new LedgerWriter(pair, 40)) {
            try (MoverDriver mover = new MoverDriver(task)) {
                mover.done(Command.PREPARE, Command.VERIFY);

                pair.target.failOver();

                mover.await("the end of the stream", report -> report.failure().isPresent());
            }
            assertThat(pair.fences(40)).isEqualTo("OWNED 1 / IMPORTING 1");
            pair.heal();
            try (MoverDriver next = new MoverDriver(pair.again(task))) {
                next.done(Command.PREPARE, Command.VERIFY);
                next.switchOver();
            }
            assertThat(pair.fences(40)).isEqualTo("MOVED 2 / OWNED 2");
            assertThat(writer.differences()).isEmpty();
        }
    }

    @Test
    void case14AFailoverAfterTheActivationKeepsTheOwnerAndTheMoveIsCleanedUp() {
        MoveTask task = pair.task(41);
        try (LedgerWriter writer = new LedgerWriter(pair, 41)) {
            try (MoverDriver mover = new MoverDriver(task)) {
                mover.done(Command.PREPARE, Command.VERIFY);
                mover.switchOver();
                writer.awaitAcknowledgedOn(pair.target);

                pair.target.failOver();

                assertThat(pair.fences(41)).isEqualTo("MOVED 2 / OWNED 2");
            }
            pair.heal();
            try (MoverDriver next = new MoverDriver(pair.again(task))) {
                next.done(Command.CLEAN_UP);
            }
            assertThat(writer.differences()).isEmpty();
        }
        assertThat(pair.source.query("SELECT FROM orders WHERE shardwright.bucket_of(tenant_id::text) = 41"))
                .isEmpty();
        pair.awaitNothingLeft(task);
    }
}
