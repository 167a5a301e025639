package io.shardwright.client.jdbc;

import io.shardwright.routing.FenceState;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What the fence and the network did to this router's work, since its start. Thread-safe. */
public final class RouterCounters {
    private final Map<FenceState, LongAdder> refusals = new EnumMap<>(FenceState.class);
    private final LongAdder replays = new LongAdder();
    private final LongAdder stale = new LongAdder();
    private final LongAdder ambiguous = new LongAdder();

    public RouterCounters() {
        for (FenceState state : FenceState.values()) {
            refusals.put(state, new LongAdder());
        }
    }

    /** Units of work that were played again after a refusal, once for each time. */
    public long replays() {
        return replays.sum();
    }

    /** Refusals that the application saw as StaleRouteException. */
    public long stale() {
        return stale.sum();
    }

    /** Writes without an answer. */
    public long ambiguous() {
        return ambiguous.sum();
    }

    /** Refusals of the fence by the state that they named. */
    public long refusals(FenceState state) {
        return refusals.get(state).sum();
    }

    void refused(FenceState state) {
        refusals.get(state).increment();
    }

    void replayed() {
        replays.increment();
    }

    void gaveUp() {
        stale.increment();
    }

    void unanswered() {
        ambiguous.increment();
    }
}
