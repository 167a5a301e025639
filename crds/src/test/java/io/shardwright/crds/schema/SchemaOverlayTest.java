package io.shardwright.crds.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SchemaOverlayTest {
    private static final JSONSchemaProps GENERATED = new JSONSchemaPropsBuilder()
            .withType("object")
            .withProperties(Map.of(
                    "name", new JSONSchemaPropsBuilder().withType("string").build(),
                    "since", new JSONSchemaPropsBuilder().withType("string").build()))
            .build();

    @Test
    void addsToOnePropertyAndKeepsTheOthers() {
        JSONSchemaProps laid = lay("properties: {since: {format: date-time}}");

        assertThat(laid.getProperties().get("since").getFormat()).isEqualTo("date-time");
        assertThat(laid.getProperties().get("since").getType()).isEqualTo("string");
        assertThat(laid.getProperties().get("name"))
                .isEqualTo(GENERATED.getProperties().get("name"));
    }

    @Test
    void refusesAPropertyThatTheTypeDoesNotHave() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lay("properties: {renamed: {format: date-time}}"))
                .withMessageContaining("/properties/renamed");
    }

    private static JSONSchemaProps lay(String overlay) {
        return new SchemaOverlay().apply(GENERATED, overlay, new KubernetesSerialization());
    }
}
