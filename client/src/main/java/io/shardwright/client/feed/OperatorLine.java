package io.shardwright.client.feed;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** HTTPS to one of the operator's replicas, with the ServiceAccount token as it is in the file at that moment. */
public final class OperatorLine {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(5);

    private final List<URI> replicas;
    private final String path;
    private final Path tokenFile;
    private final HttpClient http;
    private final AtomicInteger turn = new AtomicInteger();

    /**
     * @param replicas base URIs, https only: the token is worth more than the table
     * @param caFile PEM certificates to trust, or null for those of the platform
     * @throws IllegalArgumentException when a URI is not https
     */
    public OperatorLine(List<URI> replicas, String namespace, String cluster, Path tokenFile, Path caFile)
            throws IOException, GeneralSecurityException {
        for (URI replica : replicas) {
            if (!"https".equals(replica.getScheme())) {
                throw new IllegalArgumentException("the feed is https only, not " + replica);
            }
        }
        this.replicas = List.copyOf(replicas);
        this.path = "/v1/clusters/" + namespace + "/" + cluster;
        this.tokenFile = tokenFile;
        HttpClient.Builder builder =
                HttpClient.newBuilder().connectTimeout(CONNECT).version(HttpClient.Version.HTTP_1_1);
        if (caFile != null) {
            builder.sslContext(trusting(caFile));
        }
        this.http = builder.build();
    }

    /** The answer comes when the stream begins. @param lastEventId may be null */
    CompletableFuture<HttpResponse<InputStream>> stream(String lastEventId) throws IOException {
        HttpRequest.Builder request = request("/routing").header("Accept", "text/event-stream");
        if (lastEventId != null) {
            request.header("Last-Event-ID", lastEventId);
        }
        return http.sendAsync(request.GET().build(), HttpResponse.BodyHandlers.ofInputStream());
    }

    /** The answer's body. @throws IOException when there is none, or no answer of status 200 */
    String acknowledge(String body) throws IOException, InterruptedException {
        HttpRequest request = request("/acks")
                .timeout(ANSWER)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        if (answer.statusCode() != 200) {
            throw new IOException("acknowledgement answered with status " + answer.statusCode());
        }
        return answer.body();
    }

    /** Turns to the next replica. */
    void elsewhere() {
        turn.incrementAndGet();
    }

    private HttpRequest.Builder request(String resource) throws IOException {
        URI replica = replicas.get(Math.floorMod(turn.get(), replicas.size()));
        HttpRequest.Builder request = HttpRequest.newBuilder(replica.resolve(path + resource));
        if (tokenFile != null) {
            request.header(
                    "Authorization", "Bearer " + Files.readString(tokenFile).strip());
        }
        return request;
    }

    private static SSLContext trusting(Path caFile) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        try (InputStream pem = Files.newInputStream(caFile)) {
            int number = 0;
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
                trusted.setCertificateEntry("ca-" + number++, certificate);
            }
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
