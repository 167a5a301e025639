package io.shardwright.operator.lifecycle;

import io.shardwright.controllers.ControllerRoom;
import io.shardwright.dataplane.postgres.move.PostgresMovers;

/** The controllers' room and what runs it; only a leader starts it, and it starts at most once. */
final class Controllers {
    private final ControllerRoom room;
    private final PostgresMovers movers;
    private final Reconciling reconciling;

    Controllers(ControllerRoom room, PostgresMovers movers, Reconciling reconciling) {
        this.room = room;
        this.movers = movers;
        this.reconciling = reconciling;
    }

    /** Returns at once. */
    void start() {
        reconciling.start();
    }

    boolean started() {
        return reconciling.started();
    }

    /** Ends reconciling, then movers: a mover without a reconciler does no harm, a reconciler without movers might. */
    void stop() {
        reconciling.stop();
        room.close();
        movers.close();
    }
}
