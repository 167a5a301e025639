package io.shardwright.crds.server;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One file of the corpus: a document that is created, or two documents, the stored one and the one that replaces it. Comments
 * at its head say what must come of it.
 *
 * @param name kind and file, for people
 * @param expect path of the field that a refusal must name
 * @param words what a refusal must tell
 * @param throughStatus the replacement is written through the status subresource
 * @param stored what is there before, its status included
 * @param attempt what is tried
 */
record CorpusCase(
        String name,
        Optional<String> expect,
        Optional<String> words,
        boolean throughStatus,
        Optional<GenericKubernetesResource> stored,
        GenericKubernetesResource attempt) {
    private static final Path CORPUS = Path.of("src", "test", "resources", "corpus");

    /** @param prefix {@code valid} or {@code invalid} */
    static Stream<CorpusCase> all(String prefix) {
        try (Stream<Path> files = Files.walk(CORPUS)) {
            return files
                    .filter(file -> file.getFileName().toString().startsWith(prefix + "-"))
                    .sorted()
                    .map(CorpusCase::read)
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static CorpusCase read(Path file) {
        String text = text(file);
        List<GenericKubernetesResource> documents = Stream.of(text.split("(?m)^---$"))
                .map(document -> Serialization.unmarshal(document, GenericKubernetesResource.class))
                .toList();
        return new CorpusCase(
                CORPUS.relativize(file).toString(),
                header(text, "expect"),
                header(text, "try"),
                header(text, "through").isPresent(),
                documents.size() == 2 ? Optional.of(documents.getFirst()) : Optional.empty(),
                documents.getLast());
    }

    private static Optional<String> header(String text, String word) {
        String start = "# " + word + ": ";
        return text.lines()
                .filter(line -> line.startsWith(start))
                .map(line -> line.substring(start.length()).strip())
                .findFirst();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
