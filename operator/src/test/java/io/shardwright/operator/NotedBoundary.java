package io.shardwright.operator;

import io.shardwright.dataplane.StepBoundary;
import java.util.UUID;

/** Found on the class path by the process under test; says so, and tells each step. */
public final class NotedBoundary implements StepBoundary {
    public NotedBoundary() {
        System.out.println("a listener of steps was found");
    }

    @Override
    public void before(Enum<?> step, UUID moveId) {
        System.out.println("before " + step);
    }

    @Override
    public void done(Enum<?> step, UUID moveId) {
        System.out.println("done " + step);
    }
}
