package io.shardwright.operator;

import io.fabric8.kubernetes.api.model.Pod;
import io.shardwright.routing.AckReply;
import io.shardwright.routing.AckReplyCodec;
import io.shardwright.routing.Acknowledgement;
import io.shardwright.routing.AcknowledgementCodec;
import io.shardwright.routing.KeyLoad;
import io.shardwright.routing.Latencies;
import io.shardwright.routing.LoadReport;
import io.shardwright.routing.Role;
import io.shardwright.routing.ShardLoad;
import io.shardwright.servers.Eventually;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** What a router does on the wire, without its library. */
final class Router {
    private final SSLContext tls;
    private final HttpClient http;

    /** @param authority certificate that it trusts, PEM */
    Router(String authority) {
        tls = trusting(authority);
        http = HttpClient.newBuilder()
                .sslContext(tls)
                .connectTimeout(Duration.ofSeconds(5))
                .build();
    }

    private static SSLContext trusting(String authority) {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            store.setCertificateEntry(
                    "authority",
                    CertificateFactory.getInstance("X.509")
                            .generateCertificate(
                                    new ByteArrayInputStream(authority.getBytes(StandardCharsets.US_ASCII))));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** An open stream; lines as they come, blank ones left out. */
    static final class Stream implements AutoCloseable {
        private final HttpResponse<InputStream> response;
        private final List<String> lines = new CopyOnWriteArrayList<>();
        private volatile boolean ended;

        private Stream(HttpResponse<InputStream> response) {
            this.response = response;
            Thread.ofVirtual().start(this::read);
        }

        private void read() {
            try (InputStream body = response.body()) {
                new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))
                        .lines()
                        .filter(line -> !line.isBlank())
                        .forEach(lines::add);
            } catch (IOException | java.io.UncheckedIOException e) {
                lines.add("# " + e.getMessage());
            } finally {
                ended = true;
            }
        }

        int status() {
            return response.statusCode();
        }

        HttpResponse<InputStream> response() {
            return response;
        }

        List<String> lines() {
            return lines;
        }

        /** Lines of events only, without heartbeats. */
        List<String> events() {
            return lines.stream().filter(line -> !line.startsWith(":")).toList();
        }

        long heartbeats() {
            return lines.stream().filter(line -> line.startsWith(":")).count();
        }

        boolean ended() {
            return ended;
        }

        void await(String what, java.util.function.BooleanSupplier condition) {
            Eventually.until(what, Duration.ofSeconds(15), condition, () -> String.join("\n", lines));
        }

        @Override
        public void close() {
            try {
                response.body().close();
            } catch (IOException e) {
                lines.add("# " + e.getMessage());
            }
        }
    }

    Stream hear(URI feed, String token, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(feed).timeout(Duration.ofSeconds(15));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        return new Stream(http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream()));
    }

    HttpResponse<String> post(URI acks, String token, String body) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(acks)
                        .timeout(Duration.ofSeconds(15))
                        .header("Authorization", "Bearer " + token)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /**
     * Announces a body of a length and sends nothing of it, as a client does that asks first.
     *
     * @return the status line of the answer
     */
    String announceBody(URI acks, String token, long length) throws IOException {
        try (var socket = tls.getSocketFactory().createSocket(acks.getHost(), acks.getPort())) {
            socket.setSoTimeout((int) Duration.ofSeconds(15).toMillis());
            String head = "POST " + acks.getPath() + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token
                    + "\r\nContent-Length: " + length + "\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
        }
    }

    static String acknowledgement(Pod pod, long sequence) {
        return acknowledgement(pod, sequence, null);
    }

    static String acknowledgement(Pod pod, long sequence, LoadReport load) {
        return AcknowledgementCodec.encode(new Acknowledgement(
                pod.getMetadata().getUid(),
                "boot-1",
                pod.getMetadata().getName(),
                Role.WORKER,
                sequence,
                "0",
                1,
                1,
                1,
                1,
                "",
                null,
                "test",
                load));
    }

    /** Of so many shards, with as many keys as may be listed. */
    static LoadReport load(int shards) {
        List<KeyLoad> keys = IntStream.range(0, ShardLoad.MAX_KEYS)
                .mapToObj(key -> new KeyLoad("tenant-" + key, 1_000 - key, 1_000))
                .toList();
        return new LoadReport(
                7,
                10_000,
                IntStream.range(0, shards)
                        .mapToObj(shard -> new ShardLoad("ds-" + shard, 90_000, keys, Latencies.NONE))
                        .toList());
    }

    static AckReply reply(HttpResponse<String> response) {
        return AckReplyCodec.decode(response.body());
    }
}
