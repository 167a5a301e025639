package io.shardwright.dataplane.postgres.move.throttle;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * When somebody may look at a shard: at his time, but never in a hold. While one is open nobody begins to look and nobody comes
 * back to see whether it is over.
 */
final class Turns {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private int looking;
    private boolean holds;

    /** Waits until it is time to look; every turn that is taken is given back. @param at by the nanoseconds of this process */
    void take(long at) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long rest = at - System.nanoTime();
            while (holds || rest > 0) {
                if (holds) {
                    changed.await();
                } else {
                    changed.awaitNanos(rest);
                }
                rest = at - System.nanoTime();
            }
            looking++;
        } finally {
            lock.unlock();
        }
    }

    void giveBack() {
        lock.lock();
        try {
            looking--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Opens a hold at once, beside a look that runs: for what cannot wait. */
    void holdNow() {
        lock.lock();
        try {
            holds = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Opens a hold when the look that runs has ended. A look has limits, but those of a server that does not answer: whoever
     * asks must have nothing fenced.
     */
    void hold() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            holds = true;
            changed.signalAll();
            while (looking > 0) {
                changed.await();
            }
        } catch (InterruptedException e) {
            holds = false;
            changed.signalAll();
            throw e;
        } finally {
            lock.unlock();
        }
    }

    void release() {
        lock.lock();
        try {
            holds = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
