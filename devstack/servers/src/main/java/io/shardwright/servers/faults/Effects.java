package io.shardwright.servers.faults;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What a proxy has numbered, and the one effect that is struck.
 *
 * @param <F> the faults of that proxy
 */
final class Effects<F> {
    private final List<Effect> seen = new ArrayList<>();
    private final Map<String, Integer> occurrences = new HashMap<>();
    private Predicate<Effect> target = effect -> false;
    private F fault;
    private Effect struck;

    /** Strikes the first effect from now on that fits. */
    synchronized void arm(Predicate<Effect> when, F what) {
        target = when;
        fault = what;
    }

    /** @return the fault that strikes here */
    synchronized Optional<F> next(String session, String what) {
        var effect = new Effect(seen.size() + 1, session, what, occurrences.merge(what, 1, Integer::sum));
        seen.add(effect);
        if (struck != null || !target.test(effect)) {
            return Optional.empty();
        }
        struck = effect;
        return Optional.of(fault);
    }

    synchronized List<Effect> seen() {
        return List.copyOf(seen);
    }

    synchronized Optional<Effect> struck() {
        return Optional.ofNullable(struck);
    }
}
