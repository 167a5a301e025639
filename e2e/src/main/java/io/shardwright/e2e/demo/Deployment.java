package io.shardwright.e2e.demo;

import io.shardwright.stage.operator.OperatorProcess;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a Deployment is for: an operator that ends by itself is started again. It does so when it loses its Lease, for example
 * on a machine that gives it no time.
 */
final class Deployment implements AutoCloseable {
    private final OperatorProcess operator;
    private final Narrator narrator;
    private final AtomicInteger restarts = new AtomicInteger();
    private volatile boolean closed;

    Deployment(OperatorProcess operator, Narrator narrator) {
        this.operator = operator;
        this.narrator = narrator;
        watch();
    }

    int restarts() {
        return restarts.get();
    }

    private void watch() {
        operator.process().onExit().thenRunAsync(this::ended);
    }

    private synchronized void ended() {
        if (!closed) {
            restarts.incrementAndGet();
            narrator.say(
                    "the operator ended with %s; its Deployment starts it again",
                    operator.exitCode().orElse(-1));
            operator.start();
            watch();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}
