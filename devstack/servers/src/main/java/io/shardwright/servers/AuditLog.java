package io.shardwright.servers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the API server wrote about every request that it has answered. */
public final class AuditLog {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path file;

    AuditLog(Path file) {
        this.file = file;
    }

    /**
     * One answered request.
     *
     * @param resource with sub-resource, as in {@code bucketmoves/status}; empty for other paths
     * @param code the HTTP status of the answer
     * @param message what the API server answered when it refused; empty otherwise
     */
    public record Entry(
            String user,
            String verb,
            String uri,
            String resource,
            String namespace,
            String name,
            int code,
            String message) {
        @Override
        public String toString() {
            return "%s: %s %s -> %d %s".formatted(user, verb, uri, code, message);
        }
    }

    public Path file() {
        return file;
    }

    /** Everything that was answered so far, oldest first. */
    public List<Entry> entries() {
        try (var lines = Files.lines(file)) {
            return lines.filter(line -> line.endsWith("}")).map(AuditLog::parse).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The requests of that user that RBAC or an admission policy has refused. */
    public List<Entry> forbidden(String user) {
        return entries().stream()
                .filter(entry -> entry.code() == 403 && entry.user().equals(user))
                .toList();
    }

    private static Entry parse(String line) {
        try {
            var event = JSON.readTree(line);
            var object = event.path("objectRef");
            var sub = object.path("subresource").asText();
            return new Entry(
                    event.path("user").path("username").asText(),
                    event.path("verb").asText(),
                    event.path("requestURI").asText(),
                    object.path("resource").asText() + (sub.isEmpty() ? "" : "/" + sub),
                    object.path("namespace").asText(),
                    object.path("name").asText(),
                    event.path("responseStatus").path("code").asInt(),
                    refusal(event));
        } catch (IOException e) {
            throw new UncheckedIOException("not an audit event: " + line, e);
        }
    }

    private static String refusal(JsonNode event) {
        var said = event.path("responseStatus").path("message").asText();
        return said.isEmpty()
                ? event.path("annotations").path("authorization.k8s.io/reason").asText()
                : said;
    }
}
