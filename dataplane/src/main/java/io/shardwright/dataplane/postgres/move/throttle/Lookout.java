package io.shardwright.dataplane.postgres.move.throttle;

import io.shardwright.dataplane.postgres.move.throttle.Regulator.End;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import java.util.UUID;

/** Looks at one shard once per interval, on a thread of its own: a server that does not answer keeps nobody else waiting. */
final class Lookout {
    private final Throttle throttle;
    private final Turns turns;
    private final End end;
    private final ShardProbe probe;
    private Thread thread;
    private volatile boolean over;

    Lookout(Throttle throttle, Turns turns, End end, ShardProbe probe) {
        this.throttle = throttle;
        this.turns = turns;
        this.end = end;
        this.probe = probe;
    }

    void start(UUID moveId) {
        thread = Thread.ofPlatform()
                .daemon()
                .name("throttle " + end + " " + moveId)
                .start(this::run);
    }

    private void run() {
        try {
            long next = System.nanoTime();
            while (!over) {
                turns.take(next);
                next = System.nanoTime() + throttle.interval();
                look();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            probe.close();
        }
    }

    private void look() {
        try {
            throttle.note(this, end, probe.look());
        } catch (MoverFault fault) {
            throttle.failed(this, end, fault.getMessage());
        } finally {
            turns.giveBack();
        }
    }

    /** Its session ends with those of the mover, or after the look that runs. */
    void end() {
        over = true;
        if (thread != null) {
            thread.interrupt();
        }
    }
}
