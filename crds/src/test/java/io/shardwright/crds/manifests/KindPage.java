package io.shardwright.crds.manifests;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;

/** One kind as people read it: each field with its type, default and limits, and what the API server refuses. */
final class KindPage {
    private final JsonNode crd;
    private final StringBuilder page = new StringBuilder();

    /** @param crd the custom resource definition */
    KindPage(JsonNode crd) {
        this.crd = crd;
    }

    String text() {
        JsonNode schema = crd.at("/spec/versions/0/schema/openAPIV3Schema");
        page.append("# %s\n\n%s\n\n"
                .formatted(name("kind"), schema.path("description").asText()));
        page.append("`apiVersion: %s/%s`, %s; `kubectl get %s`, short `%s`.\n"
                .formatted(
                        crd.at("/spec/group").asText(),
                        crd.at("/spec/versions/0/name").asText(),
                        crd.at("/spec/scope").asText().toLowerCase(Locale.ROOT),
                        name("plural"),
                        crd.at("/spec/names/shortNames/0").asText()));
        schema.path("properties").properties().forEach(part -> {
            page.append("\n## %s\n\n%s\n\n"
                    .formatted(
                            part.getKey(), part.getValue().path("description").asText()));
            page.append("| field | type | default | limits | meaning |\n|---|---|---|---|---|\n");
            fields(part.getValue(), "");
        });
        page.append("\n## What the API server refuses beside that\n\n| field | what it tells |\n|---|---|\n");
        rules(schema, "");
        return page.toString();
    }

    private String name(String which) {
        return crd.at("/spec/names/" + which).asText();
    }

    private void fields(JsonNode schema, String path) {
        schema.path("properties").properties().forEach(entry -> {
            FieldRow row = new FieldRow(entry.getValue(), required(schema, entry.getKey()));
            String at = path + entry.getKey();
            page.append("| `%s` | %s | %s | %s | %s |\n"
                    .formatted(at, row.type(), row.byDefault(), row.limits(), row.meaning()));
            below(entry.getValue(), at);
        });
    }

    private void below(JsonNode schema, String at) {
        fields(schema, at + ".");
        if (schema.has("items")) {
            below(schema.get("items"), at + "[]");
        }
        if (schema.has("additionalProperties")) {
            below(schema.get("additionalProperties"), at + ".*");
        }
    }

    private static boolean required(JsonNode schema, String field) {
        for (JsonNode one : schema.path("required")) {
            if (one.asText().equals(field)) {
                return true;
            }
        }
        return false;
    }

    private void rules(JsonNode schema, String path) {
        for (JsonNode rule : schema.path("x-kubernetes-validations")) {
            String at = path + rule.path("fieldPath").asText();
            page.append("| `%s` | %s |\n"
                    .formatted(
                            at.startsWith(".") ? at.substring(1) : at,
                            FieldRow.inCell(rule.path("message").asText())));
        }
        schema.path("properties").properties().forEach(field -> rules(field.getValue(), path + "." + field.getKey()));
        if (schema.has("items")) {
            rules(schema.get("items"), path + "[]");
        }
        if (schema.has("additionalProperties")) {
            rules(schema.get("additionalProperties"), path + ".*");
        }
    }
}
