package io.shardwright.planning.acks;

import io.shardwright.routing.Role;

/**
 * A process, or several in one pod, that may route: a pod with a started container that matches the role's selector and
 * has no terminal phase (terminating counts).
 *
 * @param name pod name
 * @param instance UID of the pod; acknowledgements carry it
 * @param processes how many processes are expected to acknowledge, at least 1
 */
public record LiveRouter(String name, String instance, Role role, int processes) {
    public LiveRouter {
        if (processes < 1) {
            throw new IllegalArgumentException("a live router has at least one process, not " + processes);
        }
    }

    /** As people read it: "orders-web-7 (web)". */
    String title() {
        return name + " (" + role.wire() + ")";
    }
}
