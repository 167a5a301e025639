package io.shardwright.e2e.steps;

import io.shardwright.dataplane.StepBoundary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs inside of the operator in stories about single steps: records every step, and at the one that the story named stops the
 * thread, until the story says {@link #GO_ON} or ends the process. The trace file proves that exactly this step was open.
 *
 * <p>The story writes {@code before:STEP} or {@code done:STEP} into the file that {@code STEP_PAUSE_FILE} names.
 */
public final class PauseAt implements StepBoundary {
    static final String GO_ON = "go on";
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Path wanted = Path.of(System.getenv("STEP_PAUSE_FILE"));
    private final Path trace = Path.of(System.getenv("STEP_TRACE_FILE"));

    @Override
    public void before(Enum<?> step, UUID moveId) {
        pass("before:" + step.name());
    }

    @Override
    public void done(Enum<?> step, UUID moveId) {
        pass("done:" + step.name());
    }

    private void pass(String boundary) {
        try {
            boolean stop = wanted().equals(boundary);
            append((stop ? "paused " : "passed ") + boundary);
            if (stop) {
                while (!wanted().equals(GO_ON)) {
                    LockSupport.parkNanos(this, LOOK_NANOS);
                }
                append("left " + boundary);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String wanted() throws IOException {
        return Files.readString(wanted).strip();
    }

    private synchronized void append(String line) throws IOException {
        Files.write(
                trace,
                (line + "\n").getBytes(StandardCharsets.UTF_8),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND,
                StandardOpenOption.SYNC);
    }
}
