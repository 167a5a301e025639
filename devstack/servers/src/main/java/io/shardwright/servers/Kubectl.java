package io.shardwright.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The real kubectl with one kubeconfig: what a person would have typed, and what he would have read. */
public final class Kubectl {
    private static final Duration LIMIT = Duration.ofSeconds(120);

    private final Path binary;
    private final Path home;
    private final Path kubeconfig;

    /** @param home where it keeps what it has learned of the API; shared by all that belong to one control plane */
    Kubectl(Path binary, Path home, Path kubeconfig) {
        this.binary = binary;
        this.home = home;
        this.kubeconfig = kubeconfig;
    }

    public CommandResult run(String... arguments) {
        return run(List.of(arguments));
    }

    public CommandResult run(List<String> arguments) {
        return pipe(null, arguments);
    }

    /** {@code kubectl patch --type=merge}. */
    public CommandResult mergePatch(String kind, String name, String namespace, String patch) {
        return run("patch", kind, name, "-n", namespace, "--type=merge", "-p", patch);
    }

    /** With the text as standard input, for {@code apply -f -}. */
    public CommandResult runWithInput(String input, String... arguments) {
        return pipe(input, List.of(arguments));
    }

    private CommandResult pipe(String input, List<String> arguments) {
        var command = new ArrayList<String>();
        command.add(binary.toString());
        command.addAll(arguments);
        try (var files = WorkDirectory.create("kubectl")) {
            var in = input == null ? Path.of("/dev/null") : Files.writeString(files.resolve("in"), input);
            var out = files.resolve("out");
            var err = files.resolve("err");
            var builder = new ProcessBuilder(command)
                    .redirectInput(in.toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            builder.environment().put("KUBECONFIG", kubeconfig.toString());
            builder.environment().put("HOME", home.toString());
            builder.environment().put("GOGC", "off"); // it lives for a moment
            var process = builder.start();
            if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
                throw new IllegalStateException("no end within " + LIMIT + ": kubectl " + String.join(" ", arguments));
            }
            return new CommandResult(
                    "kubectl " + String.join(" ", arguments),
                    process.exitValue(),
                    Files.readString(out),
                    Files.readString(err));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
