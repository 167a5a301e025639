package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover;
import io.shardwright.dataplane.Movers;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.PostgresSessions;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.random.RandomGenerator;

/** Movers for PostgreSQL 15 and newer. */
public final class PostgresMovers implements Movers, AutoCloseable {
    /** Pauses of several moves may have to end at the same time. */
    private static final int WATCHDOGS = 4;

    private final PostgresSessions sessions;
    private final StepBoundary boundary;
    private final RandomGenerator random;
    private final ScheduledExecutorService watchdogs;

    /** @param random makes tokens; they must never repeat within one move, so let it be a secure one in production */
    public PostgresMovers(PostgresSessions sessions, StepBoundary boundary, RandomGenerator random) {
        this.sessions = sessions;
        this.boundary = boundary;
        this.random = random;
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(
                WATCHDOGS, Thread.ofPlatform().daemon().name("watchdog ", 0).factory());
        timer.setRemoveOnCancelPolicy(true);
        watchdogs = timer;
    }

    @Override
    public Mover open(MoveTask task, Runnable changed) {
        return new PostgresMover(task, sessions, boundary, random, watchdogs, changed);
    }

    /** Stops the watchdogs; movers are closed by their owners before. */
    @Override
    public void close() {
        watchdogs.shutdownNow();
    }
}
