package io.shardwright.operator.alerts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whoever follows a runbook at night types what stands there: each command names kinds and fields that exist. */
class RunbookCommandsTest {
    private static final Path RUNBOOKS = Path.of("..", "docs", "runbooks");
    private static final Kinds KINDS = new Kinds();
    private static final Set<String> OF_KUBERNETES = Set.of("pod", "pods", "events", "lease", "deployment");
    private static final Set<String> VERBS =
            Set.of("get", "describe", "patch", "annotate", "wait", "delete", "logs", "apply");
    private static final Pattern BRACES = Pattern.compile("\\{([^{}]*)}");
    private static final Pattern FIELD = Pattern.compile("\\.(\\w+)(\\[\\*]|\\[\\?\\(@\\.type==\"(\\w+)\"\\)])?");
    private static final Pattern REASONS = Pattern.compile("(?ms)^\\| reason \\|.*?\\n\\n");

    private static Stream<RunbookCommand> commands() {
        return pages().flatMap(page -> RunbookCommand.kubectl(text(page)));
    }

    private static Stream<Path> pages() {
        try (Stream<Path> pages = Files.list(RUNBOOKS)) {
            return pages.sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void thereAreManyCommandsSoThatTheOthersOfThisClassMeanSomething() {
        assertThat(commands()).hasSizeGreaterThan(50);
        assertThat(commands().filter(command -> command.option("-o").orElse("").startsWith("jsonpath=")))
                .hasSizeGreaterThan(25);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void aCommandNamesAVerbAndAKindThatExist(RunbookCommand command) {
        List<String> operands = command.operands();
        assertThat(VERBS).contains(operands.getFirst());
        if (operands.getFirst().equals("apply")) {
            Path file = Path.of(
                    "..", command.option("-k").or(() -> command.option("-f")).orElseThrow());
            assertThat(file).exists();
        } else if (operands.getFirst().equals("logs")) {
            assertThat(
                            operands.size() > 1
                                    ? operands.get(1)
                                    : command.option("-l").orElseThrow())
                    .isIn("POD", "app.kubernetes.io/name=shardwright-operator");
        } else {
            String kind = operands.get(1).replaceFirst("/.*", "");
            assertThat(OF_KUBERNETES.contains(kind) || KINDS.schema(kind).isPresent())
                    .as(kind)
                    .isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void aCommandAsksForFieldsAndConditionsThatExist(RunbookCommand command) {
        List<String> operands = command.operands();
        if (operands.size() < 2) {
            return;
        }
        KINDS.schema(operands.get(1).replaceFirst("/.*", "")).ifPresent(schema -> {
            command.option("-o")
                    .filter(output -> output.startsWith("jsonpath="))
                    .ifPresent(path -> followAll(schema, path));
            command.option("-p").ifPresent(patch -> follow(schema, patch));
            command.option("--for").ifPresent(waited -> {
                if (waited.startsWith("condition=")) {
                    assertThat(Stream.of(ConditionType.values()).map(ConditionType::wire))
                            .contains(waited.substring("condition=".length()));
                } else {
                    followAll(schema, waited);
                }
            });
        });
    }

    /** Templates with ranges: inside of one a path begins at its element. */
    private static void followAll(JSONSchemaProps schema, String template) {
        Deque<List<String>> ranges = new ArrayDeque<>(List.of(List.of()));
        Matcher matcher = BRACES.matcher(template);
        while (matcher.find()) {
            String inside = matcher.group(1);
            if (inside.equals("end")) {
                ranges.pop();
            } else if (inside.startsWith("range ")) {
                ranges.push(path(ranges.peek(), inside.substring("range ".length())));
                exists(schema, ranges.peek());
            } else if (!inside.startsWith("\"")) {
                exists(schema, path(ranges.peek(), inside));
            }
        }
        assertThat(ranges).as("every range has its end: " + template).hasSize(1);
    }

    private static List<String> path(List<String> range, String text) {
        List<String> path = new ArrayList<>(range);
        Matcher matcher = FIELD.matcher(text);
        int end = 0;
        while (matcher.find() && matcher.start() == end) {
            end = matcher.end();
            path.add(matcher.group(1));
            if (matcher.group(3) != null) {
                assertThat(Stream.of(ConditionType.values()).map(ConditionType::wire))
                        .contains(matcher.group(3));
            }
        }
        assertThat(end).as("not understood: " + text).isEqualTo(text.length());
        return path.getFirst().equals("items") ? path.subList(1, path.size()) : path;
    }

    private static void exists(JSONSchemaProps schema, List<String> path) {
        if (!path.isEmpty() && !path.getFirst().equals("metadata")) {
            assertThat(Kinds.at(schema, path)).as(String.join(".", path)).isPresent();
        }
    }

    private static void follow(JSONSchemaProps schema, String patch) {
        try {
            follow(schema, List.of(), new ObjectMapper().readTree(patch));
        } catch (IOException e) {
            throw new UncheckedIOException(patch, e);
        }
    }

    private static void follow(JSONSchemaProps schema, List<String> path, JsonNode node) {
        exists(schema, path);
        node.properties().forEach(field -> {
            List<String> deeper = new ArrayList<>(path);
            deeper.add(field.getKey());
            follow(schema, deeper, field.getValue());
        });
    }

    @ParameterizedTest
    @MethodSource("pages")
    void aReasonInATableIsOneThatTheOperatorGives(Path page) {
        List<String> reasons = REASONS.matcher(text(page))
                .results()
                .flatMap(table -> table.group().lines().skip(2))
                .flatMap(line -> Pattern.compile("`(\\w+)`")
                        .matcher(line.split("\\|").length > 1 ? line.split("\\|")[1] : "")
                        .results())
                .map(word -> word.group(1))
                .toList();

        assertThat(Stream.of(Reason.values()).map(Reason::wire)).containsAll(reasons);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void aPageLeadsToPagesThatExist(Path page) {
        assertThat(Pattern.compile("Shardwright[A-Z]\\w+").matcher(text(page)).results())
                .allSatisfy(name ->
                        assertThat(RUNBOOKS.resolve(name.group() + ".md")).exists());
    }
}
