package io.shardwright.dataplane.postgres.move.apply;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The keys of recent source transactions, each with its transaction id: what a snapshot of the source does not see although
 * it is in the stream. Verification must not call such a row different. Transactions that every later snapshot sees are
 * forgotten, but for those that a verification still asks about.
 */
public final class TouchedKeys {
    /** More would not be a dirty set but the table. */
    private static final int LIMIT = 1_000_000;

    private record Touch(int xid, List<RowKey> keys) {}

    private final Deque<Touch> touches = new ArrayDeque<>();
    private int size;
    private boolean overflown;
    private boolean held;
    private SourceSnapshot pinned;

    synchronized void record(long xid, List<RowKey> keys) {
        if (keys.isEmpty()) {
            return;
        }
        touches.add(new Touch((int) xid, List.copyOf(keys)));
        size += keys.size();
        if (size > LIMIT) {
            overflown = true;
            touches.clear();
            size = 0;
        }
    }

    /** Forgets what every snapshot from now on sees. @param xmin oldest transaction that is still open */
    synchronized void forgetBefore(long xmin) {
        if (held) {
            return;
        }
        SourceSnapshot keepFrom = pinned;
        touches.removeIf(touch -> {
            boolean old = SourceSnapshot.precedes(touch.xid(), (int) xmin)
                    && (keepFrom == null || keepFrom.sees(touch.xid()));
            if (old) {
                size -= touch.keys().size();
            }
            return old;
        });
    }

    /** Forgets nothing for now: a snapshot is being taken, and nobody knows yet what it does not see. */
    public synchronized void hold() {
        held = true;
        overflown = false;
    }

    /** Keeps, from now on, everything that this snapshot does not see; it was taken while all was held. */
    public synchronized void pin(SourceSnapshot snapshot) {
        pinned = snapshot;
        held = false;
    }

    /** Nobody asks any more. */
    public synchronized void release() {
        pinned = null;
        held = false;
    }

    /** @return keys whose transactions the pinned snapshot does not see; null when there were too many to remember */
    public synchronized Set<RowKey> unseen() {
        if (overflown) {
            return null;
        }
        Set<RowKey> unseen = new HashSet<>();
        for (Touch touch : touches) {
            if (!pinned.sees(touch.xid())) {
                unseen.addAll(touch.keys());
            }
        }
        return unseen;
    }
}
