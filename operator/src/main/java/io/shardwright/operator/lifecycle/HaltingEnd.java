package io.shardwright.operator.lifecycle;

import io.shardwright.operator.ProcessEnd;
import org.jboss.logging.Logger;

/**
 * Halts the JVM: no shutdown hook, no waiting. An orderly exit would let reconciliations go on for seconds after another
 * replica has begun to lead.
 */
final class HaltingEnd implements ProcessEnd {
    private static final Logger LOG = Logger.getLogger(HaltingEnd.class);

    @Override
    public void now(Cause cause, String message) {
        LOG.errorf("process ends at once: cause=%s exit=%d message=%s", cause, cause.exitCode(), message);
        Runtime.getRuntime().halt(cause.exitCode());
    }
}
