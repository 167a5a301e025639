package io.shardwright.dataplane.postgres.move;

import static io.shardwright.dataplane.postgres.move.OrderRows.plant;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.PostgresServer;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How many sessions of movers a server sees: what docs/databases.md promises to those who count connections. */
class SessionsIT {
    private static MovePair pair;

    @BeforeAll
    static void preparePair() {
        pair = MovePair.upwards();
    }

    @AfterAll
    static void nothingIsLeft() {
        pair.assertNothingLeft();
    }

    /** Sessions, and how many of them are walsenders. */
    record Seen(long sessions, long walsenders) {
        static Seen of(ShopDatabase database) {
            String mine = "pg_stat_activity WHERE datname = current_database() AND usename = 'shardwright_mover'";
            return new Seen(database.count(mine), database.count(mine + " AND backend_type = 'walsender'"));
        }

        Seen most(Seen other) {
            return new Seen(Math.max(sessions, other.sessions), Math.max(walsenders, other.walsenders));
        }
    }

    /** The most that each step saw on either side, as movers announce them. */
    private static final class Counter implements StepBoundary {
        private final Map<MoverStep, Seen> here = new TreeMap<>();
        private final Map<MoverStep, Seen> there = new TreeMap<>();

        @Override
        public void before(Enum<?> step, UUID moveId) {
            count(MoverStep.valueOf(step.name()));
        }

        @Override
        public void done(Enum<?> step, UUID moveId) {
            count(MoverStep.valueOf(step.name()));
        }

        private synchronized void count(MoverStep step) {
            here.merge(step, Seen.of(pair.here), Seen::most);
            there.merge(step, Seen.of(pair.there), Seen::most);
        }

        private void seesAtMostTen() {
            assertThat(Stream.of(here, there).flatMap(side -> side.entrySet().stream()))
                    .allSatisfy(at -> {
                        assertThat(at.getValue().sessions()).as(at.toString()).isLessThanOrEqualTo(10);
                        assertThat(at.getValue().walsenders()).as(at.toString()).isLessThanOrEqualTo(1);
                    });
        }
    }

    @Test
    void aMoveTakesAsManySessionsAsItIsSaid() {
        plant(pair, 4);
        MoveTask task = pair.task(4);
        Counter counter = new Counter();
        try (MoverDriver there = new MoverDriver(task, counter);
                MoverDriver back = new MoverDriver(task.reversal(), counter)) {
            there.done(Command.VALIDATE, Command.PREPARE, Command.VERIFY);
            back.done(Command.FOLLOW);
            there.switchEach(task.scopes());
            there.done(Command.RETIRE);

            assertThat(counter.here.get(MoverStep.FENCE_SOURCE)).isEqualTo(new Seen(9, 1));
            assertThat(counter.there.get(MoverStep.FENCE_SOURCE)).isEqualTo(new Seen(9, 1));
            awaits(new Seen(5, 0), new Seen(5, 1)); // the soak

            back.done(Command.PREPARE, Command.VERIFY);
            back.switchEach(task.scopes());
            back.done(Command.CLEAN_UP);
            there.done(Command.CLEAN_UP);
        }
        counter.seesAtMostTen();
        assertThat(counter.here).containsKeys(MoverStep.COPY, MoverStep.BEGIN_REVERSAL, MoverStep.DELETE_LEFTOVERS);
    }

    /** A session that was ended takes its server a moment to go. */
    private static void awaits(Seen here, Seen there) {
        Eventually.until(
                "the sessions of a soak",
                Duration.ofSeconds(10),
                () -> Seen.of(pair.here).equals(here) && Seen.of(pair.there).equals(there),
                () -> Seen.of(pair.here) + " and " + Seen.of(pair.there));
    }

    @Test
    void whereTheBoundOfTheLoginIsReachedTheMoveSaysSoAndGoesOnWhenThereIsRoom() {
        try (PostgresServer server = PostgresServer.builder().name("bound").start()) {
            MovePair bound = MovePair.of(server, server);
            plant(bound, 5);
            try (MoverDriver mover = new MoverDriver(bound.task(5))) {
                mover.done(Command.VALIDATE);
                bound.here.plant("ALTER ROLE shardwright_mover CONNECTION LIMIT 3");

                Failure refused = MoverDriver.failureOf(mover.run(Command.PREPARE));

                assertThat(refused.kind()).isEqualTo(Failure.Kind.UNREACHABLE);
                assertThat(refused.message())
                        .contains("too many connections for role \"shardwright_mover\"", "CONNECTION LIMIT");
                bound.here.plant("ALTER ROLE shardwright_mover CONNECTION LIMIT -1");
                mover.done(Command.PREPARE, Command.VERIFY);
                mover.switchEach(bound.task(5).scopes());
                mover.done(Command.CLEAN_UP);
            }
            assertThat(MovePair.fence(bound.there, 5)).isEqualTo("OWNED 2");
        }
    }
}
