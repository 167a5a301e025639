package io.shardwright.stage.operator;

import io.shardwright.servers.BriefJvm;
import io.shardwright.servers.CertificateAuthority;
import io.shardwright.servers.ControlPlane;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.FreePorts;
import io.shardwright.servers.OwnedProcess;
import io.shardwright.servers.WorkDirectory;
import io.shardwright.stage.Checkout;
import io.shardwright.stage.JavaCommand;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One replica of the operator: the shipped jar under the shipped ServiceAccount. Its ports stay the same when it is started
 * again, as a Service's would, so routers find it. From {@link #start()} to {@link #terminate()} it is kept running, as by its
 * Deployment: an operator that has lost its Lease ends its process by design, and one that is killed comes back.
 */
public final class OperatorProcess implements AutoCloseable {
    private static final Duration READY_LIMIT = Duration.ofSeconds(180);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);
    private static final String MAIN = "io.quarkus.runner.GeneratedMain";

    /** One that does not live so long cannot start at all, and is not started again. */
    private static final Duration SHORTEST_LIFE = Duration.ofSeconds(2);

    private final String name;
    private final Path jar;
    private final Path kubeconfig;
    private final WorkDirectory directory;
    private final int feedPort = FreePorts.next();
    private final int managementPort = FreePorts.next();
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
    private final AtomicInteger restarts = new AtomicInteger();
    private volatile OwnedProcess process;
    private Extras extras = Extras.NONE;
    private boolean wanted;
    private Consumer<String> listener = text -> {};

    /**
     * What one start differs in from the others.
     *
     * @param classPath jars or directories whose services the operator finds, such as a StepBoundary
     * @param environment variables more than those of every start
     */
    public record Extras(List<Path> classPath, Map<String, String> environment) {
        public static final Extras NONE = new Extras(List.of(), Map.of());
    }

    private OperatorProcess(String name, Checkout checkout, ControlPlane plane, CertificateAuthority.Issued issued) {
        this.name = name;
        jar = checkout.operatorJar();
        kubeconfig = plane.serviceAccountKubeconfig(Installation.NAMESPACE, Installation.SERVICE_ACCOUNT);
        directory = WorkDirectory.create(name);
        write("tls.crt", issued.certificatePem());
        write("tls.key", issued.keyPem());
    }

    /** A replica that is not started yet. Its certificate comes from the same authority as the API server's. */
    public static OperatorProcess prepare(String name, Checkout checkout, ControlPlane plane) {
        return new OperatorProcess(
                name, checkout, plane, plane.certificateAuthority().loopbackServer());
    }

    /** Starts it and returns at once; see {@link #awaitReady()}. */
    public void start() {
        start(Extras.NONE);
    }

    public synchronized void start(Extras more) {
        if (wanted) {
            throw new IllegalStateException(name + " runs already");
        }
        wanted = true;
        extras = more;
        launch();
    }

    /** Hears when a process that ended by itself is followed by the next. */
    public synchronized void listener(Consumer<String> told) {
        listener = told;
    }

    private void launch() {
        var builder = OwnedProcess.named(name)
                .command(command(extras).words())
                .directory(directory.path())
                .log(log());
        environment(extras).forEach(builder::environment);
        long began = System.nanoTime();
        process = builder.start();
        process.onExit().thenAcceptAsync(code -> ended(code, Duration.ofNanos(System.nanoTime() - began)));
    }

    private synchronized void ended(int code, Duration lived) {
        if (wanted && lived.compareTo(SHORTEST_LIFE) > 0) {
            restarts.incrementAndGet();
            listener.accept("the operator ended with " + code + "; its Deployment starts it again");
            launch();
        }
    }

    /** Times that it ended without having been told to, and was started again. */
    public int restarts() {
        return restarts.get();
    }

    private JavaCommand command(Extras extras) {
        var jvm = new ArrayList<>(BriefJvm.options());
        jvm.addAll(List.of("-Xmx384m", "-Djava.io.tmpdir=" + directory.path()));
        if (extras.classPath().isEmpty()) {
            return JavaCommand.ofJar(jvm, jar);
        }
        jvm.add("--add-opens=java.base/java.lang=ALL-UNNAMED"); // what the jar's manifest says when it is started as a
        // jar
        var entries = Stream.concat(extras.classPath().stream(), Stream.of(jar));
        var path = entries.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        return JavaCommand.ofClassPath(jvm, path, MAIN, List.of());
    }

    private Map<String, String> environment(Extras extras) {
        var environment = new LinkedHashMap<String, String>();
        environment.put("KUBECONFIG", kubeconfig.toString());
        environment.put("HOME", directory.path().toString());
        environment.put("SHARDWRIGHT_TLS_CERT", directory.resolve("tls.crt").toString());
        environment.put("SHARDWRIGHT_TLS_KEY", directory.resolve("tls.key").toString());
        environment.put("SHARDWRIGHT_NAMESPACE", Installation.NAMESPACE);
        environment.put("SHARDWRIGHT_IDENTITY", name);
        environment.put("QUARKUS_HTTP_HOST", "127.0.0.1");
        environment.put("QUARKUS_HTTP_SSL_PORT", Integer.toString(feedPort));
        environment.put("QUARKUS_MANAGEMENT_HOST", "127.0.0.1");
        environment.put("QUARKUS_MANAGEMENT_PORT", Integer.toString(managementPort));
        environment.putAll(extras.environment());
        return environment;
    }

    /** Waits until its readiness probe says so. */
    public void awaitReady() {
        Eventually.until(name + " to be ready", READY_LIMIT, this::alive200, this::evidence);
    }

    private boolean alive200() {
        if (!isRunning()) {
            throw new IllegalStateException(evidence());
        }
        return health("ready") == 200;
    }

    /** Waits until it leads. */
    public void awaitLeading() {
        Eventually.until(name + " to lead", READY_LIMIT, this::isLeading, this::evidence);
    }

    /** The status of a health endpoint ({@code live}, {@code ready}); 0 when nobody answers. */
    public int health(String kind) {
        return get("/q/health/" + kind).map(HttpResponse::statusCode).orElse(0);
    }

    public boolean isLeading() {
        return metrics().lines().anyMatch(line -> line.startsWith("shardwright_leading") && line.endsWith(" 1.0"));
    }

    /** The Prometheus text; empty when nobody answers. */
    public String metrics() {
        return get("/q/metrics").map(HttpResponse::body).orElse("");
    }

    private Optional<HttpResponse<String>> get(String path) {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + managementPort + path))
                .timeout(Duration.ofSeconds(5))
                .build();
        try {
            return Optional.of(http.send(request, HttpResponse.BodyHandlers.ofString()));
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Where routers find feed and acknowledgements. */
    public URI feed() {
        return URI.create("https://127.0.0.1:" + feedPort);
    }

    public String name() {
        return name;
    }

    public Path log() {
        return directory.resolve(name + ".log");
    }

    public boolean isRunning() {
        return process != null && process.isAlive();
    }

    /** The process of the last start. */
    public OwnedProcess process() {
        return process;
    }

    public void freeze() {
        process.freeze();
    }

    public void thaw() {
        process.thaw();
    }

    /** SIGKILL; the next process follows. */
    public void kill() {
        process.kill();
    }

    /** SIGTERM, as the kubelet does at first; waits for the end. No other process follows. */
    public void terminate() {
        synchronized (this) {
            wanted = false;
        }
        process.terminate(STOP_LIMIT);
    }

    public String evidence() {
        return process == null ? name + " was never started" : process.evidence();
    }

    private void write(String file, String text) {
        try {
            Files.writeString(directory.resolve(file), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        if (process != null) {
            terminate();
        }
        directory.close();
    }
}
