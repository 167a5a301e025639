package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;

/** One bucket with rows that somebody keeps writing, a mover that dies at a step, and the one that comes after it. */
final class Succession {
    private static final int ROWS = 20;

    private final MovePair pair;
    private final int bucket;

    /** What a planner would have a mover do, from the truth on; returns where the mover dies. */
    interface Plan {
        void goOn(MoverDriver mover);
    }

    Succession(MovePair pair, int bucket) {
        this.pair = pair;
        this.bucket = bucket;
        long tenant = ShopDatabase.keyIn(bucket);
        pair.here.plant("""
            INSERT INTO orders SELECT %1$d, n, 'row' FROM generate_series(1, %2$d) n;
            INSERT INTO order_items SELECT %1$d, n, n, 's' FROM generate_series(1, %2$d) n\
            """.formatted(tenant, ROWS));
    }

    /**
     * Kills one mover and lets another one finish.
     *
     * @param task of the movers that die
     * @param fence what a mover does until it has fenced: a fence is confirmed only by one who finds it
     */
    void killAndFinish(MoveTask task, MoverStep step, boolean before, Plan fence, Plan plan) {
        try (LiveLoad load = new LiveLoad(pair, 1, ROWS, bucket)) {
            if (step == MoverStep.CONFIRM_FENCE) {
                runToItsDeath(task, new DyingMover(MoverStep.FENCE_SOURCE, false), fence);
            }
            runToItsDeath(task, new DyingMover(step, before), plan);
            try (MoverDriver mover = new MoverDriver(task)) {
                plan.goOn(mover);
                assertThat(mover.report().failure()).isEmpty();
            }
            assertThat(load.stopAndCompare()).isEmpty();
        }
    }

    private static void runToItsDeath(MoveTask task, DyingMover dying, Plan plan) {
        try (MoverDriver mover = new MoverDriver(task, dying)) {
            dying.kills(mover);
            plan.goOn(mover);
            dying.awaitDeath();
        }
    }

    /** @param here fence row, @param there fence row; the one of them that owns the bucket has all rows, the other none */
    void assertEnd(String here, String there) {
        assertThat(MovePair.fence(pair.here, bucket)).isEqualTo(here);
        assertThat(MovePair.fence(pair.there, bucket)).isEqualTo(there);
        boolean owned = here.startsWith("OWNED");
        ShopDatabase other = owned ? pair.there : pair.here;
        assertThat(MovePair.rows(owned ? pair.here : pair.there, "orders", bucket))
                .isGreaterThanOrEqualTo(ROWS);
        assertThat(MovePair.rows(other, "orders", bucket)).isZero();
        assertThat(MovePair.rows(other, "order_items", bucket)).isZero();
    }

    /** The command has ended, and well. */
    static boolean ok(MoveReport report) {
        return report.failure().isEmpty() && report.running().isEmpty() && !report.switching();
    }
}
