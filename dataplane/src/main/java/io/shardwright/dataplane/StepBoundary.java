package io.shardwright.dataplane;

import java.util.UUID;

/**
 * Told of every step with an effect, before it is sent and after it is done. Does nothing in production; the crash stories
 * put a listener on the class path that ends the process exactly here, so that no step is without a kill test.
 */
public interface StepBoundary {
    StepBoundary NONE = new StepBoundary() {
        @Override
        public void before(Enum<?> step, UUID moveId) {}

        @Override
        public void done(Enum<?> step, UUID moveId) {}
    };

    void before(Enum<?> step, UUID moveId);

    void done(Enum<?> step, UUID moveId);
}
