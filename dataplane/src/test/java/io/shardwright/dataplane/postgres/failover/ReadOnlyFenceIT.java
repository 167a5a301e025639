package io.shardwright.dataplane.postgres.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.RefusedWrites;
import io.shardwright.dataplane.postgres.move.MoverDriver;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A source that takes no writes any more has a fence that no standby has. It cannot be written once more to be sure, so who copies
 * from behind it has to ask the standbys.
 */
class ReadOnlyFenceIT {
    private FailoverPair pair;

    @BeforeEach
    void makeWhole() {
        pair = FailoverPair.whole();
    }

    @Test
    void case33AFenceThatNoStandbyHasIsNotCopiedFromBehindAndItsFailoverLeavesOneOwner() {
        MoveTask task = fencedAndReadOnly(21, MoverDriver.PATIENT);
        try (MoverDriver mover = new MoverDriver(task)) {
            assertThat(mover.run(Command.RESYNC).failure().orElseThrow().message())
                    .contains("ds-0", "not confirmed");
            assertThat(pair.fences(21)).isEqualTo("MOVED 2 / IMPORTING 1");

            pair.source.failOver();

            assertThat(pair.owners(21)).containsExactly("ds-0");
        }
        pair.heal();
        try (MoverDriver next = new MoverDriver(pair.again(task))) {
            next.done(Command.PREPARE, Command.VERIFY);
            next.switchOver();
        }
        assertThat(pair.fences(21)).isEqualTo("MOVED 2 / OWNED 2");
    }

    /** The contrast: the same servers, and nobody asks the standbys because somebody has said that it does not matter. */
    @Test
    void case33WhereNobodyAsksTheStandbysItsFailoverLeavesTwoOwners() {
        MoveTask task = fencedAndReadOnly(22, FailoverPair.ACCEPTING);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.RESYNC);
        }
        assertThat(pair.fences(22)).isEqualTo("MOVED 2 / OWNED 2");

        pair.source.failOver();

        assertThat(pair.owners(22)).containsExactly("ds-0", "ds-4");
    }

    /** The mover is gone, and its fence waits for a standby that stalls, until nobody waits any more. */
    private MoveTask fencedAndReadOnly(int bucket, Limits limits) {
        MoveTask task = pair.task(bucket, limits);
        AtomicReference<MoverDriver> victim = new AtomicReference<>();
        Interruption stalling = new Interruption()
                .before(MoverStep.FENCE_SOURCE, pair.source::stall)
                .before(MoverStep.ACTIVATE_TARGET, () -> victim.get().kill());
        try (MoverDriver mover = new MoverDriver(task, stalling)) {
            victim.set(mover);
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.beginSwitch();
            stalling.awaitReached(MoverStep.ACTIVATE_TARGET);
        }
        pair.source.emptyTheListOfStandbys();
        pair.awaitFenced(bucket);
        new RefusedWrites(pair.source::plant).refuse(true);
        return task;
    }
}
