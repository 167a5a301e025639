package io.shardwright.servers.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a client asks of the API server. */
record ApiRequest(String method, URI uri, Map<String, List<String>> headers, byte[] body) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** They are about one connection, or made anew for the next one. */
    static final Set<String> OF_ONE_CONNECTION = Set.of(
            "connection",
            "content-length",
            "expect",
            "host",
            "http2-settings",
            "keep-alive",
            "te",
            "transfer-encoding",
            "upgrade");

    private static final Map<String, String> VERBS =
            Map.of("POST", "create", "PUT", "update", "PATCH", "patch", "DELETE", "delete");

    /** Before the resource: api/v1 or apis/group/version. */
    private static final int OF_THE_CORE = 2;

    private static final int OF_A_GROUP = 3;

    static ApiRequest read(HttpExchange exchange) throws IOException {
        return new ApiRequest(
                exchange.getRequestMethod(),
                exchange.getRequestURI(),
                exchange.getRequestHeaders(),
                exchange.getRequestBody().readAllBytes());
    }

    boolean watches() {
        return method.equals("GET")
                && uri.getQuery() != null
                && Arrays.asList(uri.getQuery().split("&")).contains("watch=true");
    }

    /** The same for another server. */
    HttpRequest to(String server) {
        var request = HttpRequest.newBuilder(URI.create(server + uri))
                .method(
                        method,
                        body.length == 0
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArray(body));
        headers.forEach((name, values) -> {
            if (!OF_ONE_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        return request.build();
    }

    /** What it changes, in words that two runs of a story have in common; empty when it only reads. */
    Optional<String> effect() {
        return Optional.ofNullable(VERBS.get(method))
                .map(verb -> Stream.concat(Stream.of(verb, object()), said())
                        .filter(word -> !word.isEmpty())
                        .collect(Collectors.joining(" ")));
    }

    /** {@code resource}, {@code resource/name} or {@code resource/name/subresource}. */
    private String object() {
        var parts = List.of(uri.getPath().substring(1).split("/"));
        int at = parts.getFirst().equals("api") ? OF_THE_CORE : OF_A_GROUP;
        boolean namespaced = parts.size() > at + 2 && parts.get(at).equals("namespaces");
        return String.join("/", parts.subList(namespaced ? at + 2 : Math.min(at, parts.size()), parts.size()));
    }

    /** The phase of a status that is written; what an event tells, and of whom. */
    private Stream<String> said() {
        var object = json();
        return Stream.of(
                object.at("/status/phase").asText(),
                object.at("/reason").asText(),
                object.at("/involvedObject/name").asText());
    }

    private JsonNode json() {
        try {
            return JSON.readTree(body);
        } catch (IOException anotherFormat) {
            return JSON.missingNode();
        }
    }
}
