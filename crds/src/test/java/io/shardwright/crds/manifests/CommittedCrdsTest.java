package io.shardwright.crds.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What is committed in {@code manifests/crds} and {@code docs/reference} is what the Java types give.
 * {@code -Dcrds.update=true} writes it first.
 */
class CommittedCrdsTest {
    private static final Path DIRECTORY = Path.of("..", "manifests", "crds");
    private static final Path REFERENCE = Path.of("..", "docs", "reference");
    private static final Path CORPUS = Path.of("src", "test", "resources", "corpus");

    @BeforeAll
    static void writeWhenAsked() throws IOException {
        if (Boolean.getBoolean("crds.update")) {
            write(DIRECTORY, GeneratedCrds.texts());
            write(REFERENCE, GeneratedReference.texts());
        }
    }

    private static void write(Path directory, SortedMap<String, String> texts) throws IOException {
        Files.createDirectories(directory);
        for (var text : texts.entrySet()) {
            Files.writeString(directory.resolve(text.getKey()), text.getValue());
        }
    }

    @Test
    void committedFilesAreThoseThatTheTypesGive() throws IOException {
        assertThat(committed(DIRECTORY))
                .as("stale files in manifests/crds: run 'make crds'")
                .isEqualTo(GeneratedCrds.texts());
    }

    @Test
    void committedReferenceIsThatOfTheTypes() throws IOException {
        assertThat(committed(REFERENCE))
                .as("stale files in docs/reference: run 'make crds'")
                .isEqualTo(GeneratedReference.texts());
    }

    @Test
    void everyFieldHasADescription() {
        List<String> without = new ArrayList<>();
        GeneratedCrds.trees().forEach((file, crd) -> undescribed(schema(crd), file, without));

        assertThat(without).isEmpty();
    }

    @Test
    void everyListMapAndTextThatARuleMayWalkIsBounded() {
        List<String> unbounded = new ArrayList<>();
        GeneratedCrds.trees().forEach((file, crd) -> unbounded(schema(crd), file, unbounded));

        assertThat(unbounded).isEmpty();
    }

    @Test
    void everyRuleHasAWrongSpecInTheCorpusThatShowsItsAdvice() {
        List<String> advice = adviceInTheCorpus();
        List<String> messages = new ArrayList<>();
        GeneratedCrds.trees().values().forEach(crd -> messages(crd, messages));

        assertThat(messages)
                .hasSizeGreaterThan(30)
                .allSatisfy(message -> assertThat(advice)
                        .as("no invalid file of the corpus shows: %s", message)
                        .anyMatch(message::contains));
    }

    private static SortedMap<String, String> committed(Path directory) throws IOException {
        SortedMap<String, String> texts = new TreeMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file :
                    files.filter(path -> !path.endsWith("kustomization.yaml")).toList()) {
                texts.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return texts;
    }

    private static JsonNode schema(JsonNode crd) {
        return crd.at("/spec/versions/0/schema/openAPIV3Schema");
    }

    private static void undescribed(JsonNode schema, String path, List<String> without) {
        schema.path("properties").properties().forEach(field -> {
            String at = path + "/" + field.getKey();
            if (field.getValue().path("description").asText().isBlank()) {
                without.add(at);
            }
            undescribed(field.getValue(), at, without);
        });
        for (String inner : List.of("items", "additionalProperties")) {
            if (schema.has(inner)) {
                undescribed(schema.get(inner), path, without);
            }
        }
    }

    private static void unbounded(JsonNode schema, String path, List<String> found) {
        boolean bounded = switch (schema.path("type").asText()) {
            case "array" -> schema.has("maxItems");
            case "string" -> schema.has("maxLength") || schema.has("enum") || schema.has("format");
            default -> !schema.has("additionalProperties") || schema.has("maxProperties");
        };
        if (!bounded) {
            found.add(path);
        }
        schema.path("properties")
                .properties()
                .forEach(field -> unbounded(field.getValue(), path + "/" + field.getKey(), found));
        for (String inner : List.of("items", "additionalProperties")) {
            if (schema.has(inner)) {
                unbounded(schema.get(inner), path + "/" + inner, found);
            }
        }
    }

    private static void messages(JsonNode node, List<String> messages) {
        for (JsonNode rule : node.path("x-kubernetes-validations")) {
            messages.add(rule.path("message").asText() + " "
                    + rule.path("messageExpression").asText());
        }
        node.forEach(inner -> messages(inner, messages));
    }

    private static List<String> adviceInTheCorpus() {
        try (Stream<Path> files = Files.walk(CORPUS)) {
            return files.filter(file -> file.getFileName().toString().startsWith("invalid-"))
                    .flatMap(CommittedCrdsTest::lines)
                    .filter(line -> line.startsWith("# try: "))
                    .map(line -> line.substring("# try: ".length()).strip())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
