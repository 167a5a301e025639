package io.shardwright.operator.alerts;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The kinds that are installed, by every word that kubectl knows them by, with their schemas. */
final class Kinds {
    private static final Path CRDS = Path.of("..", "manifests", "crds");

    private final Map<String, JSONSchemaProps> schemas = new HashMap<>();

    Kinds() {
        try (Stream<Path> files = Files.list(CRDS)) {
            files.filter(file -> !file.endsWith("kustomization.yaml")).forEach(this::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void add(Path file) {
        try {
            var spec = Serialization.unmarshal(Files.readString(file), CustomResourceDefinition.class)
                    .getSpec();
            JSONSchemaProps schema = spec.getVersions().getFirst().getSchema().getOpenAPIV3Schema();
            Stream.concat(
                            Stream.of(
                                    spec.getNames().getPlural(), spec.getNames().getSingular()),
                            spec.getNames().getShortNames().stream())
                    .forEach(word -> schemas.put(word, schema));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Optional<JSONSchemaProps> schema(String word) {
        return Optional.ofNullable(schemas.get(word));
    }

    /** What a path leads to, lists being passed through; empty when there is no such field. */
    static Optional<JSONSchemaProps> at(JSONSchemaProps schema, List<String> path) {
        JSONSchemaProps here = schema;
        for (String field : path) {
            if (here == null) {
                return Optional.empty();
            }
            JSONSchemaProps object =
                    here.getItems() == null ? here : here.getItems().getSchema();
            here = object.getProperties() == null
                    ? null
                    : object.getProperties().get(field);
        }
        return Optional.ofNullable(here);
    }
}
