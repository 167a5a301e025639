package io.shardwright.servers;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A child process that this JVM owns: known by its process id, its output in a log file, never left behind
 * ({@link Guardian}). Signals go to the process and nobody else, unless a method says that children are meant too.
 */
public final class OwnedProcess implements AutoCloseable {
    private static final Duration KILL_LIMIT = Duration.ofSeconds(10);

    private final String name;
    private final Path log;
    private final Process process;

    private OwnedProcess(String name, Path log, Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
    }

    /** How a process is started. */
    public static final class Builder {
        private final String name;
        private final Map<String, String> environment = new HashMap<>();
        private List<String> command = List.of();
        private Path log;
        private File directory;
        private String endingSignal = "TERM";

        private Builder(String name) {
            this.name = name;
        }

        public Builder command(List<String> words) {
            command = List.copyOf(words);
            return this;
        }

        public Builder command(String... words) {
            return command(List.of(words));
        }

        /** Where output and errors go, appended. */
        public Builder log(Path file) {
            log = file;
            return this;
        }

        /** One variable more than this JVM's own environment has. */
        public Builder environment(String key, String value) {
            environment.put(key, value);
            return this;
        }

        public Builder directory(Path path) {
            directory = path.toFile();
            return this;
        }

        /** The signal that the guardian sends first when this JVM is gone; TERM when nothing is said. */
        Builder endingSignal(String signal) {
            endingSignal = signal;
            return this;
        }

        public OwnedProcess start() {
            var builder = new ProcessBuilder(Shell.inOwnSession(command))
                    .directory(directory)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
            builder.environment().putAll(environment);
            try {
                var process = builder.start();
                Guardian.watch(process.pid(), endingSignal);
                process.onExit().thenAccept(ended -> Guardian.ended(ended.pid()));
                return new OwnedProcess(name, log, process);
            } catch (IOException e) {
                throw new UncheckedIOException("could not start " + name + ": " + command, e);
            }
        }
    }

    public static Builder named(String name) {
        return new Builder(name);
    }

    public String name() {
        return name;
    }

    public long pid() {
        return process.pid();
    }

    public Path log() {
        return log;
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** The exit code, once there is one; 128 + the signal's number for a process that was killed. */
    public Optional<Integer> exitCode() {
        return process.isAlive() ? Optional.empty() : Optional.of(process.exitValue());
    }

    /** Completes with the exit code. */
    public CompletableFuture<Integer> onExit() {
        return process.onExit().thenApply(Process::exitValue);
    }

    /** The last lines of the log. */
    public List<String> tail(int lines) {
        try {
            var all = new String(Files.readAllBytes(log), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            return all.subList(Math.max(0, all.size() - lines), all.size());
        } catch (IOException e) {
            return List.of("(no log: " + e + ")");
        }
    }

    /** What a failed wait shows of this process. */
    public String evidence() {
        var state = exitCode().map(code -> "ended with " + code).orElse("runs as pid " + pid());
        return name + " " + state + "; last lines of " + log + ":\n  " + String.join("\n  ", tail(30));
    }

    /** Sends a signal by its name without SIG, as in {@code HUP}. */
    public void signal(String signal) {
        if (process.isAlive()) {
            Shell.signal(pid(), signal);
        }
    }

    /** SIGSTOP: the process keeps its sockets and does nothing. */
    public void freeze() {
        signal("STOP");
    }

    /** SIGCONT. */
    public void thaw() {
        signal("CONT");
    }

    /** SIGSTOP to the process and then to every child, so that no child is forked in between. */
    public void freezeTree() {
        freeze();
        process.descendants().forEach(child -> Shell.signal(child.pid(), "STOP"));
    }

    /** SIGCONT to every child and then to the process. */
    public void thawTree() {
        process.descendants().forEach(child -> Shell.signal(child.pid(), "CONT"));
        thaw();
    }

    /** SIGTERM and waiting for the end, then SIGKILL. */
    public void terminate(Duration limit) {
        end("TERM", limit);
    }

    /** SIGKILL, and waiting until the process is gone. */
    public void kill() {
        signal("KILL");
        if (!endedWithin(KILL_LIMIT)) {
            throw new IllegalStateException(name + " (pid " + pid() + ") is still there after SIGKILL");
        }
    }

    /** The given signal and waiting for the end, then SIGKILL. A frozen process is thawed first, or it would not hear. */
    void end(String signal, Duration limit) {
        signal(signal);
        thawTree();
        if (!endedWithin(limit)) {
            kill();
        }
    }

    private boolean endedWithin(Duration limit) {
        try {
            return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
            return false;
        }
    }

    @Override
    public void close() {
        terminate(Duration.ofSeconds(5));
    }

    @Override
    public String toString() {
        return name + " (pid " + pid() + ")";
    }
}
