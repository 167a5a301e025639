package io.shardwright.servers;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

/**
 * What etcd has, read and written behind the API server's back: a restored backup asks no admission rule either. By etcd's
 * JSON gateway.
 */
public final class EtcdKeys {
    private final String etcd;

    EtcdKeys(String etcd) {
        this.etcd = etcd;
    }

    /** The value of a key, for a custom resource {@code /registry/<group>/<plural>/<namespace>/<name>}. */
    public String get(String key) {
        JsonNode values = call("range", Map.of("key", base64(key))).path("kvs");
        if (values.size() != 1) {
            throw new IllegalStateException("etcd has no key " + key);
        }
        return new String(Base64.getDecoder().decode(values.get(0).path("value").asText()), StandardCharsets.UTF_8);
    }

    public void put(String key, String value) {
        call("put", Map.of("key", base64(key), "value", base64(value)));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private JsonNode call(String what, Map<String, String> request) {
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpResponse<String> answer = http.send(
                    HttpRequest.newBuilder(URI.create(etcd + "/v3/kv/" + what))
                            .POST(HttpRequest.BodyPublishers.ofString(Serialization.asJson(request)))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IllegalStateException("etcd answers " + answer.statusCode() + ": " + answer.body());
            }
            return Serialization.unmarshal(answer.body(), JsonNode.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while etcd was asked", e);
        }
    }
}
