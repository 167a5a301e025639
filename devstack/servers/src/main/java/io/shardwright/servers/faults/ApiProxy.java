package io.shardwright.servers.faults;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import io.shardwright.servers.CertificateAuthority;
import io.shardwright.servers.ControlPlane;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;

/**
 * Stands before the API server on a port of its own, for one client, and passes every request on. Once it listens, each call
 * that changes something is an {@link Effect} with a number. One fault can be armed; it strikes the first effect that fits,
 * and no other.
 *
 * <p>TLS on both sides, with the certificates of the control plane. A client shows who it is by a token, which is passed on; a
 * client certificate ends here. Watches are passed line by line, so a client must ask for them by HTTP and not by WebSocket.
 */
public final class ApiProxy extends EffectProxy<ApiFault> {
    private static final String RETRY_AFTER_SECONDS = "1";

    private final ControlPlane plane;
    private final HttpsServer door;
    private final HttpClient server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Set<ApiWatch> watches = ConcurrentHashMap.newKeySet();

    /** What is refused once more when it is repeated. */
    private final Map<String, Refusal> refused = new ConcurrentHashMap<>();

    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean listens;
    private volatile boolean clientIsDead;

    private ApiProxy(ControlPlane plane, HttpsServer door, SSLContext tls) {
        this.plane = plane;
        this.door = door;
        server = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .sslContext(tls)
                .build();
    }

    public static ApiProxy before(ControlPlane plane) {
        try {
            var tls = tls(plane.certificateAuthority());
            var door = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            var proxy = new ApiProxy(plane, door, tls);
            door.setHttpsConfigurator(new HttpsConfigurator(tls));
            door.setExecutor(proxy.threads);
            door.createContext("/", proxy::serve);
            door.start();
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Shows a certificate of that authority, and trusts the others. */
    private static SSLContext tls(CertificateAuthority authority) throws IOException {
        var own = authority.loopbackServer();
        try {
            return SSLUtils.sslContext(new ConfigBuilder(Config.empty())
                    .withCaCertData(base64(authority.certificatePem()))
                    .withClientCertData(base64(own.certificatePem()))
                    .withClientKeyData(base64(own.keyPem()))
                    .build());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK cannot use its own certificate", e);
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** {@code https://127.0.0.1:port}, with a certificate of the control plane's authority. */
    public String url() {
        return "https://127.0.0.1:" + door.getAddress().getPort();
    }

    /** From now on effects are numbered. */
    public ApiProxy listen() {
        listens = true;
        return this;
    }

    /** A fault has struck that the client's process is not to survive: nothing passes any more. */
    public boolean clientIsDead() {
        return clientIsDead;
    }

    private void serve(HttpExchange exchange) throws IOException {
        try {
            pass(ApiRequest.read(exchange), exchange);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            exchange.close(); // without an answer it closes the connection
        }
    }

    private void pass(ApiRequest request, HttpExchange exchange) throws IOException, InterruptedException {
        if (request.watches()) {
            passWatch(request, exchange);
            return;
        }
        var effect = request.effect().filter(any -> listens);
        var again = effect.map(refused::remove);
        if (clientIsDead) {
            closed.await();
        } else if (again.isPresent()) {
            refuse(exchange, again.get());
        } else if (effect.isPresent()) {
            pass(request, effect.get(), exchange);
        } else {
            answer(exchange, send(request));
        }
    }

    private void pass(ApiRequest request, String effect, HttpExchange exchange)
            throws IOException, InterruptedException {
        var strikes = next(client(request), effect);
        if (strikes.isEmpty()) {
            answer(exchange, send(request));
            return;
        }
        switch (strikes.get()) {
            case KILL_BEFORE -> kill();
            case KILL_AFTER -> {
                send(request);
                kill();
            }
            case CUT_AFTER -> send(request);
            case CONFLICT -> refuse(exchange, Refusal.CONFLICT);
            case TOO_MANY_REQUESTS -> refuseTwice(exchange, effect, Refusal.TOO_MANY_REQUESTS);
            case SERVER_ERROR -> refuseTwice(exchange, effect, Refusal.SERVER_ERROR);
            case CLOSE_WATCHES -> {
                for (var watch : watches) {
                    watch.end();
                }
                answer(exchange, send(request));
            }
            case EXPIRE_WATCHES -> {
                for (var watch : watches) {
                    watch.expire();
                }
                answer(exchange, send(request));
            }
        }
    }

    private static String client(ApiRequest request) {
        return String.join(" ", request.headers().getOrDefault("User-Agent", List.of()));
    }

    private void kill() throws InterruptedException {
        clientIsDead = true;
        closed.await();
    }

    private void refuseTwice(HttpExchange exchange, String effect, Refusal refusal) throws IOException {
        refused.put(effect, refusal);
        refuse(exchange, refusal);
    }

    private static void refuse(HttpExchange exchange, Refusal refusal) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        if (refusal.equals(Refusal.TOO_MANY_REQUESTS)) {
            exchange.getResponseHeaders().set("Retry-After", RETRY_AFTER_SECONDS);
        }
        write(exchange, refusal.code(), refusal.body());
    }

    private HttpResponse<byte[]> send(ApiRequest request) throws IOException, InterruptedException {
        return server.send(request.to(plane.server()), HttpResponse.BodyHandlers.ofByteArray());
    }

    private static void answer(HttpExchange exchange, HttpResponse<byte[]> answer) throws IOException {
        copyHeaders(answer, exchange);
        write(exchange, answer.statusCode(), answer.body());
    }

    private static void write(HttpExchange exchange, int code, byte[] body) throws IOException {
        if (body.length == 0) {
            exchange.sendResponseHeaders(code, -1);
        } else {
            exchange.sendResponseHeaders(code, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private static void copyHeaders(HttpResponse<?> answer, HttpExchange exchange) {
        answer.headers().map().forEach((name, values) -> {
            if (!ApiRequest.OF_ONE_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
                exchange.getResponseHeaders().put(name, values);
            }
        });
    }

    private void passWatch(ApiRequest request, HttpExchange exchange) throws IOException, InterruptedException {
        HttpResponse<InputStream> answer =
                server.send(request.to(plane.server()), HttpResponse.BodyHandlers.ofInputStream());
        copyHeaders(answer, exchange);
        exchange.sendResponseHeaders(answer.statusCode(), 0);
        var watch = new ApiWatch(answer.body(), exchange.getResponseBody());
        watches.add(watch);
        try {
            watch.pass();
        } finally {
            watches.remove(watch);
        }
    }

    /** Every connection is cut; what has not been sent is never sent. */
    @Override
    public synchronized void close() {
        if (closed.getCount() == 0) {
            return;
        }
        closed.countDown();
        door.stop(0);
        server.shutdownNow();
        threads.shutdownNow();
    }

    @Override
    public String toString() {
        return url() + " before " + plane.server();
    }
}
