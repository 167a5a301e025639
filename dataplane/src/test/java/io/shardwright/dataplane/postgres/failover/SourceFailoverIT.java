package io.shardwright.dataplane.postgres.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.MoverDriver;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The source fails over to a standby that has every commit, but not the slot: what was copied is copied again. */
class SourceFailoverIT {
    private FailoverPair pair;

    @BeforeEach
    void makeWhole() {
        pair = FailoverPair.whole();
    }

    @Test
    @Tag("long")
    void case13AFailoverInTheCopyStartsItAgain() {
        MoveTask task = pair.task(30);
        try (LedgerWriter writer = new LedgerWriter(pair, 30)) {
            Interruption failing = new Interruption().before(MoverStep.COPY, pair.source::failOver);
            try (MoverDriver mover = new MoverDriver(task, failing)) {
                assertThat(mover.run(Command.PREPARE).failure().orElseThrow().kind())
                        .isEqualTo(Kind.UNREACHABLE);
            }
            assertThat(pair.fences(30)).isEqualTo("OWNED 1 / IMPORTING 1");
            moveAgain(task);
            assertThat(writer.differences()).isEmpty();
        }
    }

    @Test
    @Tag("long")
    void case13AFailoverInTheCatchUpMakesAnotherCopy() {
        MoveTask task = pair.task(31);
        try (LedgerWriter writer = new LedgerWriter(pair, 31)) {
            try (MoverDriver mover = new MoverDriver(task)) {
                mover.done(Command.PREPARE);

                pair.source.failOver();

                mover.await("the end of the stream", report -> report.failure().isPresent());
            }
            assertThat(pair.fences(31)).isEqualTo("OWNED 1 / IMPORTING 1");
            moveAgain(task);
            assertThat(writer.differences()).isEmpty();
        }
    }

    @Test
    void case13AFailoverAfterTheFenceGivesTheBucketBackToTheSource() {
        MoveTask task = pair.task(32);
        try (LedgerWriter writer = new LedgerWriter(pair, 32)) {
            pair.fenceAndDie(task);

            pair.source.failOver();

            assertThat(pair.fences(32)).as("the standby has the fence").isEqualTo("MOVED 2 / IMPORTING 1");
            pair.heal();
            try (MoverDriver next = new MoverDriver(pair.again(task))) {
                assertThat(next.run(Command.PREPARE).failure().orElseThrow().kind())
                        .isEqualTo(Kind.DECIDED_AGAINST);
                assertThat(pair.fences(32)).isEqualTo("OWNED 3 / ABORTED 1");
                next.done(Command.ABORT);
            }
            assertThat(writer.differences()).isEmpty();
        }
        pair.awaitNothingLeft(task);
    }

    /** The mover lives on: it may have the answer to the fence and activate, or not have it and give up; never half of it. */
    @Test
    @Tag("long")
    void case13AFailoverBetweenTheFenceAndTheActivationLeavesOneOwner() {
        MoveTask task = pair.task(33);
        try (LedgerWriter writer = new LedgerWriter(pair, 33)) {
            Interruption failing = new Interruption().before(MoverStep.ACTIVATE_TARGET, () -> {
                pair.source.awaitFence(33, "MOVED 2");
                pair.source.failOver();
            });
            try (MoverDriver mover = new MoverDriver(task, failing)) {
                mover.done(Command.PREPARE, Command.VERIFY);
                mover.beginSwitch();
                failing.awaitReached(MoverStep.ACTIVATE_TARGET);
                mover.idle();
            }
            pair.heal();
            try (MoverDriver next = new MoverDriver(pair.again(task))) {
                next.run(Command.PREPARE);
            }
            assertThat(pair.fences(33)).isIn("MOVED 2 / OWNED 2", "OWNED 3 / ABORTED 1");
            assertThat(writer.differences()).isEmpty();
        }
    }

    /** The remaining risk of {@code asyncStandby: Accept}: whoever reads both rows sees which one is older, and closes it. */
    @Test
    @Tag("long")
    void case13WhereAnAsynchronousStandbyIsAcceptedALostFenceLeavesTwoOwnersAndTheOlderIsClosed() throws SQLException {
        MoveTask task = pair.task(34, FailoverPair.ACCEPTING);
        pair.source.emptyTheListOfStandbys();
        Interruption stalling = new Interruption().before(MoverStep.FENCE_SOURCE, pair.source::stall);
        try (MoverDriver mover = new MoverDriver(task, stalling)) {
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.switchOver();
        }
        assertThat(pair.fences(34)).isEqualTo("MOVED 2 / OWNED 2");

        pair.source.failOver();

        assertThat(pair.fences(34)).isEqualTo("OWNED 1 / OWNED 2");
        try (Connection stale = pair.source.app();
                MoverDriver next = new MoverDriver(pair.again(task))) {
            insert(stale, 501);
            next.done(Command.DEMOTE);
            assertThat(pair.fences(34)).isEqualTo("MOVED 2 / OWNED 2");
            assertThat(next.report().truth().orElseThrow().demoted()).containsExactly(entry(Scope.bucket(34), "ds-0"));
            assertThatThrownBy(() -> insert(stale, 502))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            refused -> assertThat(refused.getSQLState()).isEqualTo("SH409"));
        }
        pair.heal();
        try (MoverDriver last = new MoverDriver(pair.again(task))) {
            assertThat(last.run(Command.CLEAN_UP).failure().orElseThrow().message())
                    .contains("ds-0", "demoted", "[34]");
        }
        assertThat(pair.source.query("SELECT FROM orders WHERE id = 501")).hasSize(1);
        assertThat(pair.target.query("SELECT FROM orders WHERE id = 501")).isEmpty();
    }

    private static void insert(Connection app, int id) throws SQLException {
        try (Statement statement = app.createStatement()) {
            statement.execute("INSERT INTO orders VALUES (%d, %d, 'late')".formatted(ShopDatabase.keyIn(34), id));
        }
    }

    private void moveAgain(MoveTask task) {
        pair.heal();
        try (MoverDriver next = new MoverDriver(pair.again(task))) {
            next.done(Command.PREPARE, Command.VERIFY);
            next.switchOver();
        }
        assertThat(pair.fences(task.scopes().first().bucket())).isEqualTo("MOVED 2 / OWNED 2");
    }
}
