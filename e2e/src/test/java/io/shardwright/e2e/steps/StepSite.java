package io.shardwright.e2e.steps;

import io.shardwright.dataplane.StepBoundary;
import io.shardwright.servers.Eventually;
import io.shardwright.stage.Stage;
import io.shardwright.stage.operator.OperatorProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The operator of a stage, started so that a story can stop it at a named step and do something while that step is open. */
public final class StepSite {
    private static final Duration STEP_LIMIT = Duration.ofMinutes(4);

    private final Stage stage;
    private final OperatorProcess operator;
    private final Path wanted;
    private final Path trace;
    private final OperatorProcess.Extras extras;
    private int armedAt;

    public StepSite(Stage stage, Path directory) {
        this.stage = stage;
        operator = stage.operator(0);
        wanted = directory.resolve("pause-at");
        trace = directory.resolve("trace");
        write(wanted, "");
        write(trace, "");
        extras = new OperatorProcess.Extras(
                List.of(listener(directory.resolve("listener"))),
                Map.of("STEP_PAUSE_FILE", wanted.toString(), "STEP_TRACE_FILE", trace.toString()));
    }

    /** The one class that the operator gets beside its jar, found by ServiceLoader. */
    private static Path listener(Path root) {
        String file = PauseAt.class.getName().replace('.', '/') + ".class";
        try (var in = PauseAt.class.getClassLoader().getResourceAsStream(file)) {
            Path target = root.resolve(file);
            Files.createDirectories(target.getParent());
            Files.copy(in, target, StandardCopyOption.REPLACE_EXISTING);
            Path services = root.resolve("META-INF/services").resolve(StepBoundary.class.getName());
            Files.createDirectories(services.getParent());
            Files.writeString(services, PauseAt.class.getName());
            return root;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void start() {
        operator.start(extras);
        operator.awaitReady();
        operator.awaitLeading();
    }

    public OperatorProcess operator() {
        return operator;
    }

    /** From now on the operator stops at this boundary, once. */
    public void arm(String boundary) {
        armedAt = trace().size();
        write(wanted, boundary);
    }

    /** Returns when the operator has stopped there. */
    public void awaitOpen(String boundary) {
        await("the operator to be at " + boundary, "paused " + boundary);
    }

    /** The operator goes on, and stops nowhere else. */
    public void letGo(String boundary) {
        write(wanted, PauseAt.GO_ON);
        await("the operator to go on from " + boundary, "left " + boundary);
    }

    /** Whoever stands goes on standing; nobody else stops. */
    public void disarm() {
        write(wanted, "");
    }

    private void await(String what, String line) {
        Eventually.until(
                what,
                STEP_LIMIT,
                () -> trace().stream().skip(armedAt).anyMatch(line::equals),
                () -> "trace: " + trace() + "\n" + stage.evidence());
    }

    /** Every step that any incarnation of the operator went through, in order. */
    public List<String> trace() {
        try {
            return Files.readAllLines(trace);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.createDirectories(file.getParent());
            Path next = Files.writeString(file.resolveSibling(file.getFileName() + ".next"), text);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
