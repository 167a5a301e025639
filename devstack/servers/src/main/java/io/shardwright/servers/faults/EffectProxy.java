package io.shardwright.servers.faults;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Numbers effects, and strikes one of them.
 *
 * @param <F> the faults that this proxy knows
 */
abstract class EffectProxy<F> implements AutoCloseable {
    private final List<Effect> seen = new ArrayList<>(); // guards the others
    private final Map<String, Integer> occurrences = new HashMap<>();
    private Predicate<Effect> target = effect -> false;
    private F fault;
    private Effect struck;

    /** Strikes the first effect from now on that fits. Arm it once. */
    public void arm(Predicate<Effect> when, F what) {
        synchronized (seen) {
            target = when;
            fault = what;
        }
    }

    /** @return the fault that strikes here */
    final Optional<F> next(String session, String what) {
        synchronized (seen) {
            var effect = new Effect(seen.size() + 1, session, what, occurrences.merge(what, 1, Integer::sum));
            seen.add(effect);
            if (struck != null || !target.test(effect)) {
                return Optional.empty();
            }
            struck = effect;
            return Optional.of(fault);
        }
    }

    /** The effects so far; after a clean run, all there are. */
    public List<Effect> effects() {
        synchronized (seen) {
            return List.copyOf(seen);
        }
    }

    /** The effect that the fault has struck. */
    public Optional<Effect> struck() {
        synchronized (seen) {
            return Optional.ofNullable(struck);
        }
    }

    @Override
    public abstract void close();
}
