package io.shardwright.dataplane.postgres.failover;

import io.shardwright.servers.BriefJvm;
import io.shardwright.servers.Eventually;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** One attempt of a story in a process of its own, which can really be killed. */
final class MoverProcess implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(120);

    /** Exit codes; a JVM whose main class threw ends with another one, and so does one that was killed. */
    private static final int AT_THE_END = 0;

    private static final int ONCE_MORE = 3;
    private static final int SIGKILL = 137;

    private final Process process;
    private final Path log;

    private MoverProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** @param words name of the story, then those of the scene */
    public static void main(String[] words) {
        Story story = Story.valueOf(words[0]);
        Scene scene = Scene.of(Arrays.asList(words).subList(1, words.length));
        boolean ended;
        try (Crew crew = new Crew(scene.task(), story.deadly(), () -> false)) {
            ended = story.attempt(scene, crew);
        }
        System.exit(ended ? AT_THE_END : ONCE_MORE);
    }

    static MoverProcess start(Story story, Scene scene) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(BriefJvm.options());
        command.addAll(List.of("-cp", classPath(), MoverProcess.class.getName(), story.name()));
        command.addAll(scene.words());
        try {
            Path log = Files.createTempFile("mover", ".log");
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            return new MoverProcess(process, log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Under surefire the plain property names a jar; the real path is kept beside. */
    private static String classPath() {
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return Arrays.stream(path.split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Waits for its end, and brings that about by SIGKILL as soon as the moment has come. @return it was at the story's end */
    boolean endsUnless(BooleanSupplier struck) {
        Eventually.until("the process to end", LIMIT, () -> !process.isAlive() || struck.getAsBoolean(), this::log);
        process.destroyForcibly();
        try {
            int code = process.waitFor();
            if (!Set.of(AT_THE_END, ONCE_MORE, SIGKILL).contains(code)) {
                throw new IllegalStateException("the process ended with " + code + ": " + log());
            }
            return code == AT_THE_END;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            Files.deleteIfExists(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
