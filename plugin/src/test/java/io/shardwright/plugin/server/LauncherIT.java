package io.shardwright.plugin.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.plugin.ExitCode;
import io.shardwright.plugin.Shop;
import io.shardwright.servers.CommandResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher and the one jar, as they are installed: on PATH, and called by the real kubectl. */
class LauncherIT {
    private static final Path HERE = Path.of("").toAbsolutePath();

    private static Installed api;

    @TempDir
    private Path directory;

    @BeforeAll
    static void install() {
        api = new Installed();
        api.orders(new TreeMap<>(Map.of("ds-0", 100, "ds-1", 100)));
        api.table(Shop.table("ds-0*50,ds-1*50", 100));
        api.move(Shop.MOVE, "{phase: Copying}");
    }

    @AfterAll
    static void uninstall() {
        api.close();
    }

    @Test
    void kubectlFindsThePluginAndPassesItsExitCodeOn() throws Exception {
        assertThat(kubectl("plugin", "list").out())
                .contains(HERE.resolve("kubectl-shardwright").toString());
        assertThat(kubectl("shardwright", "explain", "42", "-n", "shop").out()).contains("ds-1 (ds-1-a.db:5432)");
        assertThat(kubectl("shardwright", "explain", "abc", "-n", "shop"))
                .returns(ExitCode.REFUSED, CommandResult::exitCode)
                .extracting(CommandResult::err)
                .asString()
                .startsWith("error: 'abc' is no key of type Int64");
        assertThat(kubectl("shardwright", "fly").exitCode()).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void kubectlCompletesCommandsOptionsAndNames() throws Exception {
        assertThat(completed("")).contains("plan", "explain", "complete").doesNotContain("candidates");
        assertThat(completed("pa")).containsExactly("pause");
        assertThat(completed("moves", "--na")).containsExactly("--namespace");
        assertThat(completed("plan", "-o", "")).containsExactly("json", "yaml");
        assertThat(completed("pause", "-n", "shop", "orders-")).containsExactly(Shop.MOVE);
        assertThat(completed("acks", "-n", "shop", "")).containsExactly("orders");
        assertThat(completed("acks", "--kubeconfig", "/nowhere", "")).isEmpty();
    }

    @Test
    void aLinkOnThePathIsEnough() throws Exception {
        Path link =
                Files.createSymbolicLink(directory.resolve("kubectl-shardwright"), HERE.resolve("kubectl-shardwright"));

        assertThat(run(List.of(link.toString(), "-h"), Map.of()).out()).contains("Usage: kubectl shardwright");
    }

    @Test
    void withoutItsJarTheLauncherSaysHowToGetIt() throws Exception {
        Path alone = Files.copy(HERE.resolve("kubectl-shardwright"), directory.resolve("kubectl-shardwright"));

        assertThat(run(List.of("sh", alone.toString(), "-h"), Map.of()))
                .returns(1, CommandResult::exitCode)
                .extracting(CommandResult::err)
                .asString()
                .contains("there is no kubectl-shardwright.jar beside", "make build");
    }

    @Test
    void aJavaThatIsTooOldIsPassedOver() throws Exception {
        Path old = Files.createDirectories(directory.resolve("jdk-17"));
        Files.writeString(old.resolve("release"), "JAVA_VERSION=\"17.0.9\"\n");
        Files.createDirectories(old.resolve("bin"));
        Files.writeString(old.resolve("bin/java"), "#!/bin/sh\necho too old\n");
        assertThat(old.resolve("bin/java").toFile().setExecutable(true)).isTrue();

        assertThat(run(
                                List.of(HERE.resolve("kubectl-shardwright").toString(), "-h"),
                                Map.of("JAVA_HOME", old.toString()))
                        .out())
                .contains("Usage: kubectl shardwright")
                .doesNotContain("too old");
    }

    /** What kubectl would offer: the lines before the directive. */
    private List<String> completed(String... words) throws Exception {
        List<String> line = new ArrayList<>(List.of("__complete", "shardwright"));
        line.addAll(List.of(words));
        return kubectl(line.toArray(String[]::new))
                .out()
                .lines()
                .takeWhile(text -> !text.startsWith(":"))
                .toList();
    }

    private CommandResult kubectl(String... words) throws Exception {
        List<String> line =
                new ArrayList<>(List.of(api.plane.binaries().resolve("kubectl").toString()));
        line.addAll(List.of(words));
        return run(line, Map.of("KUBECONFIG", api.plane.adminKubeconfig().toString()));
    }

    /** With the plugin's directory and the tests' own Java on PATH. */
    private CommandResult run(List<String> line, Map<String, String> environment)
            throws IOException, InterruptedException {
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        ProcessBuilder builder =
                new ProcessBuilder(line).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().remove("JAVA_HOME");
        builder.environment().put("HOME", directory.toString());
        builder.environment()
                .compute(
                        "PATH",
                        (name, path) -> HERE + ":" + Path.of(System.getProperty("java.home"), "bin") + ":" + path);
        builder.environment().putAll(environment);
        Process process = builder.start();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
            throw new IllegalStateException("no end within a minute: " + line);
        }
        return new CommandResult(
                String.join(" ", line), process.exitValue(), Files.readString(out), Files.readString(err));
    }
}
