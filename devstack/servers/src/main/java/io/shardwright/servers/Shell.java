package io.shardwright.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The few programs of the operating system that the room relies on, and what it does where one is missing. */
final class Shell {
    private Shell() {}

    /** The command in a session of its own, with the same process id; as it is where there is no {@code setsid}. */
    static List<String> inOwnSession(List<String> command) {
        return onPath("setsid") ? prepend(List.of("setsid"), command) : command;
    }

    static void signal(long pid, String signal) {
        run(List.of("sh", "-c", "kill -s \"$1\" \"$2\"", "sh", signal, Long.toString(pid)));
    }

    /** Whether a signal has stopped the process. */
    static boolean stands(long pid) {
        try {
            var ps = new ProcessBuilder("ps", "-o", "stat=", "-p", Long.toString(pid))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new String(ps.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
                    .strip()
                    .startsWith("T");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void run(List<String> command) {
        try {
            new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static boolean onPath(String program) {
        return Arrays.stream(
                        System.getenv().getOrDefault("PATH", "/usr/bin:/bin").split(":"))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }

    private static List<String> prepend(List<String> first, List<String> rest) {
        var all = new ArrayList<>(first);
        all.addAll(rest);
        return List.copyOf(all);
    }
}
