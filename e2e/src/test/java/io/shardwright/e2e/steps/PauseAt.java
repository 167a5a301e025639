package io.shardwright.e2e.crash;

import io.shardwright.dataplane.StepBoundary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs inside of the operator in crash stories: records every step, and at the one that the story named stops the thread for
 * ever, so that the process can be killed while exactly this step is open. The trace file proves that it was.
 *
 * <p>The story writes {@code before:STEP} or {@code done:STEP} into the file that {@code CRASH_PAUSE_FILE} names.
 */
public final class PauseAt implements StepBoundary {
    private final Path wanted = Path.of(System.getenv("CRASH_PAUSE_FILE"));
    private final Path trace = Path.of(System.getenv("CRASH_TRACE_FILE"));

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
            boolean stop = Files.readString(wanted).strip().equals(boundary);
            append((stop ? "paused " : "passed ") + boundary);
            while (stop) {
                LockSupport.park(this); // the story ends the process
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
