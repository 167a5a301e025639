package io.shardwright.operator.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.routing.TableOrder;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One stream on a real connection with small buffers. */
class FeedStreamTest {
    private static final int LIMIT_SECONDS = 20;
    private static final String FILLING = "x".repeat(400_000);

    private final Vertx vertx = Vertx.vertx();
    private final CompletableFuture<FeedStream> opened = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private HttpServer server;
    private Socket router;
    private Context context;

    @BeforeEach
    void connect() throws Exception {
        server = vertx.createHttpServer(
                        new HttpServerOptions().setSendBufferSize(8_192).setIdleTimeout(2))
                .requestHandler(this::open)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private FeedStream openStream() throws Exception {
        router = new Socket();
        router.setReceiveBufferSize(8_192);
        router.setSoTimeout((int) Duration.ofSeconds(LIMIT_SECONDS).toMillis());
        router.connect(new InetSocketAddress("127.0.0.1", server.actualPort()));
        router.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return opened.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    @AfterEach
    void disconnect() throws Exception {
        router.close();
        vertx.close().toCompletionStage().toCompletableFuture().get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private void open(HttpServerRequest request) {
        request.response().setChunked(true).closeHandler(ignored -> closed.complete(null));
        context = vertx.getOrCreateContext();
        opened.complete(new FeedStream(context, request.response(), null, null));
    }

    private static TableDocument table(long revision) {
        return new TableDocument(new TableOrder(1, revision, revision), revision + FILLING);
    }

    private List<String> idsUntil(long revision) throws IOException {
        List<String> ids = new ArrayList<>();
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(router.getInputStream(), StandardCharsets.US_ASCII));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("id: ")) {
                ids.add(line);
            }
            if (line.startsWith("data: " + revision + "x")) {
                return ids;
            }
        }
        return ids;
    }

    @Test
    void aSlowRouterGetsTheNewestTableAndNotEveryOne() throws Exception {
        FeedStream stream = openStream();
        for (long revision = 1; revision <= 50; revision++) {
            stream.offer(table(revision));
        }
        settle();

        List<String> ids = idsUntil(50);

        assertThat(ids).startsWith("id: 1/1").endsWith("id: 1/50").hasSizeLessThan(10);
    }

    @Test
    void neverSendsAnOlderTableAfterANewerOne() throws Exception {
        FeedStream stream = openStream();
        stream.offer(table(2));
        stream.offer(table(1));
        stream.offer(table(2));
        stream.offer(table(3));

        assertThat(idsUntil(3)).containsExactly("id: 1/2", "id: 1/3");
    }

    @Test
    void aRouterThatTakesNothingIsDisconnected() throws Exception {
        FeedStream stream = openStream();
        for (long revision = 1; revision <= 50; revision++) {
            stream.offer(table(revision));
        }
        vertx.setPeriodic(100, ignored -> stream.beat());

        closed.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    /** Everything offered so far has been looked at by the event loop. */
    private void settle() throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        context.runOnContext(ignored -> done.complete(null));
        done.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
}
