package io.shardwright.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OwnedProcessTest {
    private final WorkDirectory directory = WorkDirectory.create("owned-process-test");

    @AfterEach
    void removeDirectory() {
        directory.close();
    }

    @Test
    void keepsTheLastLinesOfTheLog() throws Exception {
        var process = start("echo one; echo two; echo three >&2; exit 7");

        assertThat(process.onExit().get(30, TimeUnit.SECONDS)).isEqualTo(7);
        assertThat(process.tail(2)).containsExactly("two", "three");
        assertThat(process.evidence()).contains("ended with 7", "three");
    }

    @Test
    void freezesAndThawsTheProcessAndNothingElse() throws Exception {
        try (var process = start("while :; do sleep 0.02; done")) {
            process.freeze();
            Eventually.until(
                    "stopped",
                    Duration.ofSeconds(30),
                    () -> state(process.pid()).equals("T"),
                    process::evidence);

            process.thaw();
            Eventually.until(
                    "running",
                    Duration.ofSeconds(30),
                    () -> !state(process.pid()).equals("T"),
                    process::evidence);
        }
    }

    @Test
    void killsWhatDoesNotListen() {
        var process = start("trap '' TERM; echo ready; while :; do sleep 0.05; done");
        Eventually.until(
                "the trap", Duration.ofSeconds(30), () -> process.tail(1).contains("ready"), process::evidence);

        process.terminate(Duration.ofMillis(200));

        assertThat(process.exitCode()).contains(128 + 9);
    }

    @Test
    void endsAFrozenProcessKindly() {
        var process = start("trap 'echo goodbye; exit 3' TERM; echo ready; while :; do sleep 0.05; done");
        Eventually.until(
                "the trap", Duration.ofSeconds(30), () -> process.tail(1).contains("ready"), process::evidence);
        process.freeze();

        process.terminate(Duration.ofSeconds(30));

        assertThat(process.exitCode()).contains(3);
        assertThat(process.tail(1)).containsExactly("goodbye");
    }

    private OwnedProcess start(String script) {
        return OwnedProcess.named("script")
                .command("sh", "-c", script)
                .log(directory.resolve("log"))
                .start();
    }

    private static String state(long pid) {
        try {
            var line = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            return line.substring(line.lastIndexOf(')') + 2, line.lastIndexOf(')') + 3);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
