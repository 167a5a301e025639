package io.shardwright.operator.alerts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.operator.lifecycle.WiredFigures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Alerts, what the operator registers, and runbooks: none of the three changes its names without the others. */
class AlertsTest {
    private static final Path RULES = Path.of("..", "manifests", "alerts", "shardwright.yaml");
    private static final Path RUNBOOKS = Path.of("..", "docs", "runbooks");
    private static final Pattern NAMED_LABEL = Pattern.compile("\\{\\{ \\$labels\\.(\\w+) }}");

    private static Exposition exposition;

    /** An alert as it is written. */
    private record Alert(String name, String expr, String waits, String severity, Map<String, String> annotations) {
        @SuppressWarnings("unchecked")
        static Alert of(Map<String, Object> rule) {
            return new Alert(
                    (String) rule.get("alert"),
                    (String) rule.get("expr"),
                    (String) rule.get("for"),
                    ((Map<String, String>) rule.get("labels")).get("severity"),
                    (Map<String, String>) rule.get("annotations"));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    @BeforeAll
    static void scrapeTheOperator() throws IOException {
        exposition = Exposition.of(WiredFigures.scrape());
    }

    @SuppressWarnings("unchecked")
    private static List<Alert> alerts() throws IOException {
        GenericKubernetesResource rule =
                Serialization.unmarshal(Files.readString(RULES), GenericKubernetesResource.class);
        List<Map<String, Object>> groups = rule.get("spec", "groups");
        return groups.stream()
                .flatMap(group -> ((List<Map<String, Object>>) group.get("rules")).stream())
                .map(Alert::of)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("alerts")
    void asksOnlyForSeriesThatTheOperatorHas(Alert alert) {
        Expression expression = Expression.parse(alert.expr());

        assertThat(expression.selectors()).isNotEmpty().allSatisfy(selector -> {
            assertThat(exposition.names()).contains(selector.metric());
            assertThat(exposition.labels(selector.metric()))
                    .containsAll(selector.labels())
                    .containsAll(expression.kept());
            assertThat(exposition.has(selector.metric(), selector.equal()))
                    .as(selector.toString())
                    .isTrue();
        });
    }

    @ParameterizedTest
    @MethodSource("alerts")
    void saysWhatIsSeenAndFeltWithLabelsThatItKeeps(Alert alert) {
        Set<String> named = alert.annotations().values().stream()
                .flatMap(text -> NAMED_LABEL.matcher(text).results())
                .map(label -> label.group(1))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(Expression.parse(alert.expr()).kept()).containsAll(named);
        assertThat(alert.annotations()).containsOnlyKeys("summary", "description", "runbook_url");
        assertThat(alert.annotations().get("summary")).hasSizeBetween(20, 160);
        assertThat(alert.annotations().get("description")).contains(". ").containsIgnoringCase("users");
        assertThat(alert.waits()).matches("\\d+[smh]");
        assertThat(alert.severity()).isIn("critical", "warning");
        assertThat(alert.name()).startsWith("Shardwright");
    }

    @Test
    void everyAlertHasItsRunbookAndEveryRunbookItsAlert() throws IOException {
        try (Stream<Path> pages = Files.list(RUNBOOKS)) {
            assertThat(pages.map(page -> page.getFileName().toString()).filter(name -> !name.equals("README.md")))
                    .containsExactlyInAnyOrderElementsOf(
                            alerts().stream().map(alert -> alert.name() + ".md").toList());
        }
        assertThat(alerts())
                .allSatisfy(alert -> assertThat(alert.annotations().get("runbook_url"))
                        .isEqualTo("https://shardwright.io/docs/runbooks/" + alert.name() + ".md"));
    }

    @ParameterizedTest
    @MethodSource("alerts")
    void aRunbookAnswersTheSameFiveQuestions(Alert alert) throws IOException {
        List<String> headings = Files.readString(RUNBOOKS.resolve(alert.name() + ".md"))
                .lines()
                .filter(line -> line.startsWith("#"))
                .toList();

        assertThat(headings)
                .containsExactly(
                        "# " + alert.name(),
                        "## What it means",
                        "## What users feel",
                        "## How to look",
                        "## What to do",
                        "## How to know that it is over");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "max(shardwright_moves)",
                "quantile by (cluster) (shardwright_moves)",
                "shardwright_moves{phase=Blocked}",
                "increase by (cluster)",
                "shardwright_moves @ 5"
            })
    void doesNotTakeForCorrectWhatItDoesNotKnow(String expression) {
        assertThatThrownBy(() -> {
                    Expression parsed = Expression.parse(expression);
                    assertThat(parsed.selectors())
                            .allMatch(selector -> exposition.names().contains(selector.metric()));
                })
                .isInstanceOfAny(IllegalArgumentException.class, AssertionError.class);
    }
}
