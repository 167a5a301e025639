package io.shardwright.controllers.shardpolicy;

import io.shardwright.planning.placement.PlanInputs;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The inputs behind the hashes that this process has computed, the last few hundred; they tell what has changed since. */
final class SeenInputs {
    private static final int KEPT = 256;

    private final Map<String, PlanInputs> byHash = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, PlanInputs> eldest) {
            return size() > KEPT;
        }
    };

    synchronized void note(String hash, PlanInputs inputs) {
        byHash.put(hash, inputs);
    }

    synchronized Optional<PlanInputs> of(String hash) {
        return Optional.ofNullable(byHash.get(hash));
    }
}
