package io.shardwright.crds.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * Lays YAML over the generated schema of one class, at every depth, for what no annotation says: list types, formats,
 * bounds of foreign types. The generator's own merge is shallow: "properties" in its input would replace all properties.
 * A property that the class does not have fails the generation, so a renamed field cannot leave its bounds behind.
 */
public final class SchemaOverlay implements SchemaCustomizer.Customizer {
    @Override
    public JSONSchemaProps apply(JSONSchemaProps generated, String overlay, KubernetesSerialization serialization) {
        ObjectNode schema = serialization.convertValue(generated, ObjectNode.class);
        lay(schema, serialization.unmarshal(overlay, JsonNode.class), "");
        return serialization.convertValue(schema, JSONSchemaProps.class);
    }

    private static void lay(ObjectNode schema, JsonNode overlay, String path) {
        overlay.properties().forEach(entry -> {
            String at = path + "/" + entry.getKey();
            if (path.endsWith("/properties") && !schema.has(entry.getKey())) {
                throw new IllegalArgumentException("the schema has no such property: " + at);
            }
            if (entry.getValue() instanceof ObjectNode below) {
                lay(schema.withObjectProperty(entry.getKey()), below, at);
            } else {
                schema.set(entry.getKey(), entry.getValue());
            }
        });
    }
}
