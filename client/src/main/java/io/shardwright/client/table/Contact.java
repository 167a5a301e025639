package io.shardwright.client.table;

import io.shardwright.routing.Route;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * When anybody last vouched for what this router believes. A process on a node that is cut off, whose pod object is gone,
 * is not waited for by a cleanup; without this it would read an emptied bucket as "no rows".
 */
public final class Contact {
    /** Without a confirmed acknowledgement for so long, a router is cut off and asks the fences. */
    public static final Duration CUT_OFF_AFTER = Duration.ofSeconds(20);

    /** A shard not vouched for (confirmed acknowledgement, fence poll) for so long: reads there check ownership. */
    public static final Duration TRUSTED_FOR = Duration.ofSeconds(30);

    private final LongSupplier nanos;
    private final long started;
    private final Map<String, Long> polled = new ConcurrentHashMap<>();
    private final Map<String, Boolean> withKeys = new ConcurrentHashMap<>();
    private volatile Long confirmed;

    /** @param nanos a monotone clock */
    public Contact(LongSupplier nanos) {
        this.nanos = nanos;
        this.started = nanos.getAsLong();
    }

    /** A leader has confirmed an acknowledgement. */
    public void confirmed() {
        confirmed = nanos.getAsLong();
    }

    /**
     * The fence rows of the shard have been read, from a primary.
     *
     * @param hasKeys a key has a row of its own there
     */
    public void polled(String shard, boolean hasKeys) {
        withKeys.put(shard, hasKeys);
        polled.put(shard, nanos.getAsLong());
    }

    /** Whether the fences must be asked: no confirmed acknowledgement for {@link #CUT_OFF_AFTER}. */
    public boolean cutOff() {
        Long last = confirmed;
        return age(last == null ? started : last) >= CUT_OFF_AFTER.toNanos();
    }

    /**
     * Whether a read by this route must check in its own snapshot that the shard owns the key. Polling overlays buckets only: where
     * a pin leads, and where keys have rows of their own, a router that is cut off looks for itself.
     */
    public boolean readsMustCheck(Route route) {
        boolean keys = route.rule() == Route.Rule.PIN || withKeys.getOrDefault(route.shard(), false);
        return keys && cutOff() || readsMustCheck(route.shard());
    }

    /** Whether nobody has vouched for the shard for too long. */
    public boolean readsMustCheck(String shard) {
        Long last = confirmed;
        if (last == null) {
            return true; // a fresh boot
        }
        Long poll = polled.get(shard);
        long youngest = poll == null ? age(last) : Math.min(age(last), age(poll));
        return youngest >= TRUSTED_FOR.toNanos();
    }

    private long age(long since) {
        return nanos.getAsLong() - since;
    }
}
