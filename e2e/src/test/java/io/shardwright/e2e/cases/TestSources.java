package io.shardwright.e2e.cases;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The test sources of every room, read as text: e2e cannot load the tests of rooms that it does not depend on. A test method
 * is what the formatter makes of one: a paragraph with its annotations before {@code void name(}.
 */
final class TestSources {
    private static final Pattern LONG = Pattern.compile("^\\s*@Tag\\(\"long\"\\)$", Pattern.MULTILINE);
    private static final Pattern TEST =
            Pattern.compile("^\\s*@(Test|ParameterizedTest|Property)\\b", Pattern.MULTILINE);

    private final List<Path> files;

    private TestSources(List<Path> files) {
        this.files = files;
    }

    static TestSources below(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return new TestSources(all.filter(TestSources::isTestSource).toList());
        }
    }

    private static boolean isTestSource(Path path) {
        String text = path.toString().replace('\\', '/');
        return text.contains("/src/test/java/") && text.endsWith(".java");
    }

    /** @param isLong the method or its class is left to {@code make long} */
    record Found(boolean isLong) {}

    /** Two rooms may have classes of the same name. */
    List<Found> find(String type, String method) {
        return files.stream()
                .filter(file -> file.getFileName().toString().equals(type + ".java"))
                .flatMap(file -> find(file, type, method))
                .toList();
    }

    private static Stream<Found> find(Path file, String type, String method) {
        String source = read(file);
        String head = source.substring(0, Math.max(0, source.indexOf("class " + type)));
        return Pattern.compile("void " + Pattern.quote(method) + "\\(")
                .matcher(source)
                .results()
                .map(found -> paragraph(source, found))
                .filter(before -> TEST.matcher(before).find())
                .map(before -> new Found(
                        LONG.matcher(head).find() || LONG.matcher(before).find()));
    }

    private static String paragraph(String source, MatchResult found) {
        return source.substring(source.lastIndexOf("\n\n", found.start()) + 1, found.start());
    }

    private static String read(Path file) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
