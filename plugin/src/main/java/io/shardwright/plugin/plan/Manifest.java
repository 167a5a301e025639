package io.shardwright.plugin.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.crds.Names;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.plugin.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The ShardClusters and ShardPolicies of a file, in YAML or JSON, each taken as the whole of what is wanted. Other kinds are left
 * out, so that a whole directory can be piped through; a field that a kind does not have is refused, because the server would
 * drop it and a plan would be shown for something else than what was written.
 */
record Manifest(List<ShardCluster> clusters, List<ShardPolicy> policies) {
    static final Manifest NONE = new Manifest(List.of(), List.of());

    private static final String API_VERSION = Names.GROUP + "/" + Names.VERSION;

    static Manifest parse(String text) {
        List<ShardCluster> clusters = new ArrayList<>();
        List<ShardPolicy> policies = new ArrayList<>();
        for (JsonNode document : documents(text)) {
            String kind = document.path("kind").asText();
            if (kind.equals("ShardCluster")) {
                clusters.add(read(document, ShardCluster.class));
            } else if (kind.equals("ShardPolicy")) {
                policies.add(read(document, ShardPolicy.class));
            }
        }
        if (clusters.isEmpty() && policies.isEmpty()) {
            throw new Refusal(
                    "-f: there is no ShardCluster and no ShardPolicy in the file",
                    "name a file that has one, as for kubectl apply -f");
        }
        return new Manifest(clusters, policies);
    }

    private static List<JsonNode> documents(String text) {
        List<JsonNode> documents = new ArrayList<>();
        for (String part : text.split("(?m)^---([ \\t].*)?$")) {
            JsonNode document = node(part);
            if (document.path("kind").asText().equals("List")) {
                document.path("items").forEach(documents::add);
            } else {
                documents.add(document);
            }
        }
        return documents;
    }

    private static JsonNode node(String text) {
        boolean empty =
                text.lines().allMatch(line -> line.isBlank() || line.strip().startsWith("#"));
        try {
            return empty ? JsonNodeFactory.instance.objectNode() : Serialization.unmarshal(text, ObjectNode.class);
        } catch (RuntimeException e) {
            throw new Refusal("-f: the file is neither YAML nor JSON of objects: " + firstLine(e), "correct it");
        }
    }

    private static <T extends HasMetadata> T read(JsonNode document, Class<T> kind) {
        String what = kind.getSimpleName() + " "
                + document.path("metadata").path("name").asText("without a name");
        if (!document.path("apiVersion").asText().equals(API_VERSION)) {
            throw new Refusal(
                    what + " has apiVersion " + document.path("apiVersion").asText("none"),
                    "this plugin reads " + API_VERSION);
        }
        T object;
        try {
            object = Serialization.unmarshal(document.toString(), kind);
        } catch (RuntimeException e) {
            throw new Refusal(what + " cannot be read: " + firstLine(e), "compare it with docs/reference");
        }
        JsonNode known = Serialization.unmarshal(Serialization.asJson(object), ObjectNode.class);
        unknown("spec", document.path("spec"), known.path("spec")).ifPresent(path -> {
            throw new Refusal(
                    what + ": " + path + " is no field of this kind",
                    "correct it: kubectl explain " + path(kind, path));
        });
        if (object.getMetadata().getName() == null || !known.path("spec").isObject()) {
            throw new Refusal(what + " has no metadata.name or no spec", "write both");
        }
        return object;
    }

    private static String path(Class<?> kind, String path) {
        return kind.getSimpleName().toLowerCase(java.util.Locale.ROOT) + "."
                + path.replaceFirst("\\.[^.]*$", "").replaceAll("\\[[0-9]+]", "");
    }

    /** The first path that is written and not understood. */
    private static Optional<String> unknown(String path, JsonNode written, JsonNode known) {
        if (written.isObject()) {
            return written.properties().stream()
                    .filter(field -> !field.getValue().isNull())
                    .map(field -> known.has(field.getKey())
                            ? unknown(path + "." + field.getKey(), field.getValue(), known.get(field.getKey()))
                            : Optional.of(path + "." + field.getKey()))
                    .flatMap(Optional::stream)
                    .findFirst();
        }
        if (written.isArray()) {
            for (int i = 0; i < written.size(); i++) {
                Optional<String> inside = unknown(path + "[" + i + "]", written.get(i), known.path(i));
                if (inside.isPresent()) {
                    return inside;
                }
            }
        }
        return Optional.empty();
    }

    private static String firstLine(Exception failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        return String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    }
}
