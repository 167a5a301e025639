package io.shardwright.e2e.crash;

import io.shardwright.dataplane.StepBoundary;
import io.shardwright.servers.Eventually;
import io.shardwright.stage.Stage;
import io.shardwright.stage.operator.Installation;
import io.shardwright.stage.operator.OperatorProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Kills the operator (SIGKILL) while a named step is open, and starts it again. */
final class CrashSite {
    private static final Duration STEP_LIMIT = Duration.ofSeconds(150);

    private final Stage stage;
    private final OperatorProcess operator;
    private final Path wanted;
    private final Path trace;
    private final OperatorProcess.Extras extras;

    CrashSite(Stage stage, Path directory) {
        this.stage = stage;
        operator = stage.operator(0);
        wanted = directory.resolve("pause-at");
        trace = directory.resolve("trace");
        write(wanted, "");
        write(trace, "");
        extras = new OperatorProcess.Extras(
                List.of(listener(directory.resolve("listener"))),
                Map.of("CRASH_PAUSE_FILE", wanted.toString(), "CRASH_TRACE_FILE", trace.toString()));
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

    void start() {
        operator.start(extras);
        operator.awaitReady();
        operator.awaitLeading();
    }

    /** From now on the operator stops for ever at this boundary. */
    void arm(String boundary) {
        write(wanted, boundary);
    }

    /** Waits until the step is open and kills the process there; its Deployment starts the next one. */
    void killThere(String boundary) {
        Eventually.until(
                "the operator to be at " + boundary,
                STEP_LIMIT,
                () -> trace().contains("paused " + boundary),
                () -> "trace: " + trace() + "\n" + stage.evidence());
        write(wanted, ""); // the next one must not stop there again
        long killed = operator.process().pid();
        operator.kill();
        forgetLease();
        Eventually.until(
                "the next operator to be started",
                STEP_LIMIT,
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
    List<String> trace() {
        try {
            return Files.readAllLines(trace);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The steps that were begun after so many lines of the trace, each once, in the order of their first time. */
    List<String> openedSince(int lines) {
        return trace().stream()
                .skip(lines)
                .map(line -> line.substring(line.indexOf(' ') + 1))
                .filter(boundary -> boundary.startsWith("before:"))
                .distinct()
                .toList();
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
