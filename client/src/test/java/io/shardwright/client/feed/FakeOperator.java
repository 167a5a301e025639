package io.shardwright.client.feed;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.shardwright.routing.AckReply;
import io.shardwright.routing.AckReplyCodec;
import io.shardwright.routing.Acknowledgement;
import io.shardwright.routing.AcknowledgementCodec;
import io.shardwright.routing.TableOrder;
import io.shardwright.servers.CertificateAuthority;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Feed and acknowledgements over TLS, as the routing contract has them; what it answers is up to the test. */
public final class FakeOperator implements AutoCloseable {
    private static final String END = "";

    /** One for all: making RSA keys takes longer than any test here. */
    public static final CertificateAuthority AUTHORITY = CertificateAuthority.create("feed-test");

    private static final CertificateAuthority.Issued ISSUED =
            AUTHORITY.server(List.of("localhost"), List.of("127.0.0.1"));

    public final List<Acknowledgement> acks = new CopyOnWriteArrayList<>();
    final List<String> lastEventIds = new CopyOnWriteArrayList<>();
    final List<String> tokens = new CopyOnWriteArrayList<>();
    volatile boolean confirms = true;

    /** Whether it finds every acknowledgement with a load too large. */
    public volatile boolean refusesLoad;

    volatile TableOrder newest;
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpsServer server;

    public FakeOperator() throws IOException, GeneralSecurityException {
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        server.setHttpsConfigurator(new HttpsConfigurator(identity()));
        server.createContext("/v1/clusters/shop/orders/routing", this::stream);
        server.createContext("/v1/clusters/shop/orders/acks", this::acknowledge);
        server.setExecutor(threads);
        server.start();
    }

    public URI uri() {
        return URI.create("https://localhost:" + server.getAddress().getPort());
    }

    /** Sends a table to whoever reads the stream. */
    public void publish(String id, String document) {
        events.add("event: table\nid: " + id + "\ndata: " + document + "\n\n");
    }

    void heartbeat() {
        events.add(": heartbeat\n\n");
    }

    /** Ends the stream that is open. */
    void cutStream() {
        events.add(END);
    }

    private void stream(HttpExchange exchange) throws IOException {
        tokens.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
        lastEventIds.add(String.valueOf(exchange.getRequestHeaders().getFirst("Last-Event-ID")));
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(": hello\n\n".getBytes(StandardCharsets.UTF_8));
            out.flush();
            for (String event = events.take(); !event.equals(END); event = events.take()) {
                out.write(event.getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void acknowledge(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        Acknowledgement ack = AcknowledgementCodec.decode(body);
        acks.add(ack);
        if (refusesLoad && ack.load() != null) {
            exchange.sendResponseHeaders(413, -1);
            exchange.close();
            return;
        }
        byte[] reply = AckReplyCodec.encode(new AckReply(confirms, newest)).getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, reply.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(reply);
        }
    }

    private SSLContext identity() throws IOException, GeneralSecurityException {
        Certificate certificate = CertificateFactory.getInstance("X.509")
                .generateCertificate(
                        new ByteArrayInputStream(ISSUED.certificatePem().getBytes(StandardCharsets.US_ASCII)));
        byte[] encoded = Base64.getMimeDecoder().decode(ISSUED.keyPem().replaceAll("-----[^-]+-----", ""));
        PrivateKey key = KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(encoded));
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setKeyEntry("feed", key, new char[0], new Certificate[] {certificate});
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
