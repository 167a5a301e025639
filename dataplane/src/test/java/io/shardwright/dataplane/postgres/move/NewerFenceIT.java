package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.SweepOrder;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.fence.FenceInstallation;
import io.shardwright.dataplane.postgres.move.sweep.PostgresLeftovers;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A newer operator has brought the fence of a shard and died; the one that leads now knows nothing of it, and only waits. */
class NewerFenceIT {
    private static final Set<Command> BY_THE_TRUTH = EnumSet.of(
            Command.OBSERVE, Command.PREPARE, Command.ABORT, Command.DEMOTE, Command.RETIRE, Command.CLEAN_UP);

    private static MovePair pair;

    private final PostgresLeftovers leftovers =
            new PostgresLeftovers(new PostgresSessions(), StepBoundary.NONE, new SecureRandom());

    @BeforeAll
    static void preparePair() {
        pair = MovePair.upwards();
    }

    @AfterEach
    void theNewerOperatorIsBack() {
        List.of(pair.here, pair.there).forEach(shard -> version(shard, FenceInstallation.VERSION));
    }

    private static void version(ShopDatabase shard, int version) {
        shard.plant("UPDATE shardwright.installation SET version = " + version);
    }

    @ParameterizedTest
    @CsvSource({"1, true", "2, false"})
    void whatIsFencedWaitsWithAllThatIsWrittenDownForTheNewerOperator(int bucket, boolean source) {
        pair.here.plant("INSERT INTO orders VALUES (" + ShopDatabase.keyIn(bucket) + ", 1, 'row')");
        MoveTask task = fenced(bucket);
        version(source ? pair.here : pair.there, 99);
        String before = written();

        try (MoverDriver mover = new MoverDriver(task)) {
            assertThat(mover.report().truth()).isEmpty();
            for (Command command : BY_THE_TRUTH) {
                assertRefused(mover.run(command), command, source);
                assertThat(written()).as(command.name()).isEqualTo(before);
            }
            if (source) {
                assertRefused(mover.reclaim(task.scopes()), Command.RECLAIM, true);
                assertThat(written()).isEqualTo(before);
            }

            theNewerOperatorIsBack();
            mover.done(Command.PREPARE);
            mover.done(Command.CLEAN_UP);
        }
        assertThat(MovePair.fence(pair.here, bucket)).isEqualTo("MOVED 2");
        assertThat(MovePair.fence(pair.there, bucket)).isEqualTo("OWNED 2");
        assertThat(MovePair.rows(pair.there, "orders", bucket)).isOne();
        pair.assertNothingLeft();
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void noMoveIsFoundFitForIt(boolean source) {
        version(source ? pair.here : pair.there, 99);
        try (MoverDriver mover = new MoverDriver(pair.task(3))) {
            Failure refused = mover.run(Command.VALIDATE).failure().orElseThrow();

            assertThat(refused.kind()).isEqualTo(Failure.Kind.VALIDATION);
            assertThat(refused.message())
                    .isEqualTo("shard " + (source ? "ds-0" : "ds-4")
                            + ": the fence has version 99, this operator knows " + FenceInstallation.VERSION
                            + ": run the newer operator");
        }
    }

    @Test
    void nothingIsSweptThere() throws ShardException {
        MoveTask task = fenced(4);
        var trace = leftovers.look(pair.thereAccess()).moves().getFirst();
        version(pair.there, 99);
        String before = written();

        assertThatThrownBy(() -> leftovers.look(pair.thereAccess())).hasMessageContaining("run the newer operator");
        SortedSet<Integer> bucket = new TreeSet<>(Set.of(4));
        SweepOrder order = new SweepOrder(trace, List.of(), bucket, new TreeSet<>(), false);
        assertThatThrownBy(() -> leftovers.sweep(pair.thereAccess(), ShopDatabase.SCHEMA, order))
                .hasMessageContaining("run the newer operator");
        assertThat(written()).isEqualTo(before);

        theNewerOperatorIsBack();
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.ABORT);
        }
        pair.assertNothingLeft();
    }

    private static void assertRefused(MoveReport report, Command command, boolean source) {
        Failure refused = report.failure().orElseThrow();
        assertThat(refused.curable()).isTrue();
        assertThat(refused.message())
                .as(command.name())
                .isEqualTo("shard " + (source ? "ds-0" : "ds-4") + ": the fence has version 99, this operator knows "
                        + FenceInstallation.VERSION);
        assertThat(refused.nextAction()).startsWith("run the newer operator: this one only waits");
    }

    /** Its mover has died between the fence and the activation. */
    private static MoveTask fenced(int bucket) {
        MoveTask task = pair.task(bucket);
        DyingMover dying = new DyingMover(MoverStep.ACTIVATE_TARGET, true);
        try (MoverDriver mover = new MoverDriver(task, dying)) {
            dying.kills(mover);
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.switchOver();
            dying.awaitDeath();
        }
        MovePair.awaitFence(pair.here, bucket, "MOVED 2");
        return task;
    }

    /** Fence rows, tokens, positions, records: with the transaction that has written each of them. */
    private static String written() {
        StringBuilder all = new StringBuilder();
        for (ShopDatabase shard : List.of(pair.here, pair.there)) {
            for (String table : List.of("fence", "claim", "move_progress", "cleanup_record")) {
                all.append(shard.server()
                        .query(
                                shard.name(),
                                "SELECT '" + table + "', xmin::text, t::text FROM shardwright." + table
                                        + " t ORDER BY t::text"));
            }
        }
        return all.toString();
    }
}
