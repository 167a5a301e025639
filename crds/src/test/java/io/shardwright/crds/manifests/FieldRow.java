package io.shardwright.crds.manifests;

import com.fasterxml.jackson.databind.JsonNode;
import io.shardwright.crds.Durations;
import io.shardwright.crds.Names;
import io.shardwright.crds.Percent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** What the reference says about one field, as cells of a table. */
record FieldRow(JsonNode schema, boolean required) {
    /** Shapes that have a name of their own; of the others the pattern is shown. */
    private static final Map<String, String> SHAPES = Map.of(
            Durations.PATTERN, "a duration: `300ms`, `1.5s`, `1h30m`",
            Percent.PATTERN, "a percentage: `10%`, `2.5%`",
            Names.DNS_LABEL, "lower-case letters, digits and hyphens, a letter first");

    String type() {
        return type(schema);
    }

    private static String type(JsonNode schema) {
        if (schema.has("items")) {
            return "list of " + type(schema.get("items"));
        }
        if (schema.has("additionalProperties")) {
            return "map of " + type(schema.get("additionalProperties"));
        }
        return schema.path("format").asText().equals("date-time")
                ? "time"
                : schema.path("type").asText();
    }

    /** Defaults of an object are shown at its fields. */
    String byDefault() {
        if (required) {
            return "required";
        }
        JsonNode value = schema.path("default");
        if (value.isMissingNode() || value.isObject()) {
            return "";
        }
        return value.asText().isEmpty() ? "`\"\"`" : "`" + inCell(value.asText()) + "`";
    }

    String limits() {
        return String.join("; ", limits(schema));
    }

    private static List<String> limits(JsonNode schema) {
        List<String> limits = new ArrayList<>();
        if (schema.has("enum")) {
            limits.add(StreamSupport.stream(schema.get("enum").spliterator(), false)
                    .map(word -> "`" + word.asText() + "`")
                    .collect(Collectors.joining(", ")));
        }
        range(schema, "minimum", "maximum", "", limits);
        range(schema, "minLength", "maxLength", " characters", limits);
        range(schema, "minItems", "maxItems", " items", limits);
        range(schema, "minProperties", "maxProperties", " entries", limits);
        if (schema.has("pattern")) {
            String pattern = schema.get("pattern").asText();
            limits.add(SHAPES.getOrDefault(pattern, "`" + inCell(pattern) + "`"));
        }
        if (schema.path("x-kubernetes-list-type").asText().equals("set")) {
            limits.add("each once");
        }
        for (JsonNode key : schema.path("x-kubernetes-list-map-keys")) {
            limits.add("one for each `" + key.asText() + "`");
        }
        if (schema.has("items") && !limits(schema.get("items")).isEmpty()) {
            limits.add("each: " + String.join("; ", limits(schema.get("items"))));
        }
        return limits;
    }

    private static void range(JsonNode schema, String least, String most, String unit, List<String> limits) {
        if (schema.has(least) && schema.has(most)) {
            limits.add(schema.get(least).asText() + " to " + schema.get(most).asText() + unit);
        } else if (schema.has(least)) {
            limits.add("at least " + schema.get(least).asText() + unit);
        } else if (schema.has(most)) {
            limits.add("at most " + schema.get(most).asText() + unit);
        }
    }

    String meaning() {
        return inCell(schema.path("description").asText());
    }

    /** Text that does not end the cell that it stands in. */
    static String inCell(String text) {
        return text.replace("|", "\\|");
    }
}
