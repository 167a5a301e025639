package io.shardwright.operator.access;

import java.util.Optional;

/**
 * Whom a token belongs to, as the API server says.
 *
 * @param user {@code system:serviceaccount:<namespace>:<name>}
 * @param pod the pod that the token is bound to; empty for a token of no pod
 */
public record RouterIdentity(String user, Optional<BoundPod> pod) {
    public record BoundPod(String name, String uid) {}
}
