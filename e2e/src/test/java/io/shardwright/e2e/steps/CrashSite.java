package io.shardwright.e2e.steps;

import io.shardwright.servers.Eventually;
import io.shardwright.stage.Stage;
import io.shardwright.stage.operator.Installation;
import io.shardwright.stage.operator.OperatorProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Where a story kills the operator (SIGKILL) while a named step is open; its Deployment starts the next one. */
public final class CrashSite {
    private static final Duration RESTART_LIMIT = Duration.ofSeconds(150);

    private final Stage stage;
    private final StepSite steps;

    public CrashSite(Stage stage, Path directory) {
        this.stage = stage;
        steps = new StepSite(stage, directory);
    }

    public void start() {
        steps.start();
    }

    /** From now on the operator stops for ever at this boundary. */
    public void arm(String boundary) {
        steps.arm(boundary);
    }

    /** Waits until the step is open and kills the process there; its Deployment starts the next one. */
    public void killThere(String boundary) {
        steps.awaitOpen(boundary);
        steps.disarm(); // the next one must not stop there again
        OperatorProcess operator = steps.operator();
        long killed = operator.process().pid();
        operator.kill();
        forgetLease();
        Eventually.until(
                "the next operator to be started",
                RESTART_LIMIT,
                () -> operator.process().pid() != killed,
                operator::evidence);
    }

    /** The dead cannot renew it: the next one need not wait until it has run out, which other tests look at. */
    private void forgetLease() {
        stage.client()
                .leases()
                .inNamespace(Installation.NAMESPACE)
                .withName("shardwright-operator")
                .delete();
    }

    /** Every step that any incarnation of the operator went through, in order. */
    public List<String> trace() {
        return steps.trace();
    }

    /** The steps that were begun after so many lines of the trace, each once, in the order of their first time. */
    public List<String> openedSince(int lines) {
        return trace().stream()
                .skip(lines)
                .map(line -> line.substring(line.indexOf(' ') + 1))
                .filter(boundary -> boundary.startsWith("before:"))
                .distinct()
                .toList();
    }
}
