package io.shardwright.servers;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The reason why nothing is orphaned: one small shell process beside this JVM that is told what the JVM owns, over a pipe.
 * The pipe ends when the JVM does, SIGKILL included; the guardian then ends the processes that are left, each one checked
 * by its start time, unmounts the disks and removes the directories.
 *
 * <p>It runs in a session of its own, so that Ctrl-C on the terminal reaches the JVM and not the guardian or the servers.
 */
final class Guardian {
    private static Guardian guardian;

    private final Writer pipe;

    private Guardian() throws IOException {
        String script;
        try (var resource = Guardian.class.getResourceAsStream("guardian.sh")) {
            script = new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        }
        var process = new ProcessBuilder(Shell.inOwnSession(List.of("sh", "-c", script)))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        pipe = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    }

    static void watch(long pid, String endingSignal) {
        tell("process " + pid + " " + startOf(pid) + " " + endingSignal);
    }

    static void ended(long pid) {
        tell("ended " + pid);
    }

    static void watch(Path directory) {
        tell("directory " + directory.toAbsolutePath());
    }

    static void removed(Path directory) {
        tell("removed " + directory.toAbsolutePath());
    }

    static void watchDisk(Path mountPoint) {
        tell("disk " + mountPoint.toAbsolutePath());
    }

    static void unmounted(Path mountPoint) {
        tell("unmounted " + mountPoint.toAbsolutePath());
    }

    private static synchronized void tell(String line) {
        try {
            if (guardian == null) {
                guardian = new Guardian();
            }
            guardian.pipe.write(line + "\n");
            guardian.pipe.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("the guardian of this JVM's processes is gone", e);
        }
    }

    /** Field 22 of the process's stat line, in clock ticks since boot; {@code -} where there is no /proc. */
    private static String startOf(long pid) {
        try {
            var line = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            return line.substring(line.lastIndexOf(')') + 2).split(" ")[19];
        } catch (IOException e) {
            return "-";
        }
    }
}
