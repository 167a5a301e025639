package io.shardwright.operator;

import io.shardwright.servers.BriefJvm;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.FreePorts;
import io.shardwright.servers.OwnedProcess;
import io.shardwright.servers.WorkDirectory;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The shipped jar as a process of its own. */
final class RunningOperator implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final String JAR = "target/shardwright-operator-runner.jar";

    private final WorkDirectory directory = WorkDirectory.create("operator");
    private final int feedPort = FreePorts.next();
    private final int managementPort = FreePorts.next();
    private final HttpClient plain = HttpClient.newHttpClient();
    private final OwnedProcess process;

    /** @param settings environment beside what every test needs */
    RunningOperator(Cluster cluster, String identity, Map<String, String> settings) {
        var certificate = cluster.plane().certificateAuthority().loopbackServer();
        Map<String, String> environment = new TreeMap<>(Map.of(
                "KUBECONFIG", cluster.operatorKubeconfig().toString(),
                "SHARDWRIGHT_IDENTITY", identity,
                "SHARDWRIGHT_TLS_CERT", file("tls.crt", certificate.certificatePem()),
                "SHARDWRIGHT_TLS_KEY", file("tls.key", certificate.keyPem()),
                "SHARDWRIGHT_FEED_HEARTBEAT", "0.3S",
                "QUARKUS_HTTP_HOST", "127.0.0.1",
                "QUARKUS_HTTP_SSL_PORT", String.valueOf(feedPort),
                "QUARKUS_MANAGEMENT_HOST", "127.0.0.1",
                "QUARKUS_MANAGEMENT_PORT", String.valueOf(managementPort)));
        environment.putAll(settings);
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(BriefJvm.options());
        command.add("-Xmx192m");
        command.addAll(
                List.of("-cp", JAR + File.pathSeparator + "target/test-classes", "io.quarkus.runner.GeneratedMain"));
        OwnedProcess.Builder builder =
                OwnedProcess.named(identity).command(command).log(directory.resolve("log"));
        environment.forEach(builder::environment);
        process = builder.start();
    }

    static RunningOperator start(Cluster cluster, String identity) {
        return new RunningOperator(cluster, identity, Map.of());
    }

    private String file(String name, String text) {
        try {
            return Files.writeString(directory.resolve(name), text).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    OwnedProcess process() {
        return process;
    }

    URI feed(String path) {
        return URI.create("https://127.0.0.1:" + feedPort + path);
    }

    int feedPort() {
        return feedPort;
    }

    /** Status of a health check, or 0 while nobody answers. */
    int health(String check) {
        try {
            return management("/q/health/" + check).statusCode();
        } catch (IOException e) {
            return 0;
        }
    }

    HttpResponse<String> management(String path) throws IOException {
        try {
            return plain.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + managementPort + path))
                            .timeout(Duration.ofSeconds(5))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    boolean leads() {
        try {
            return management("/q/metrics").body().lines().anyMatch("shardwright_leading 1.0"::equals);
        } catch (IOException e) {
            return false;
        }
    }

    RunningOperator awaitReady() {
        return await("to be ready", () -> health("ready") == 200);
    }

    RunningOperator awaitLeading() {
        return await("to lead and reconcile", () -> leads() && logged("reconciling: "));
    }

    RunningOperator await(String what, java.util.function.BooleanSupplier condition) {
        Eventually.until(process.name() + " " + what, PATIENCE, condition, process::evidence);
        return this;
    }

    boolean logged(String words) {
        return log().contains(words);
    }

    String log() {
        try {
            return Files.readString(process.log());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for the end of the process. */
    int exitCode() {
        Eventually.until(
                process.name() + " to end", PATIENCE, () -> process.exitCode().isPresent(), process::evidence);
        return process.exitCode().orElseThrow();
    }

    @Override
    public void close() {
        if (process.isAlive()) {
            process.kill();
        }
        directory.close();
    }
}
