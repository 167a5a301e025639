package io.shardwright.controllers.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * Expected statuses as files, {@code src/test/resources/golden/<kind>/<scenario>.yaml}. {@code -Dgolden.update=true} rewrites
 * them; the diff is for review.
 */
public final class Golden {
    private static final Path ROOT = Path.of("src", "test", "resources", "golden");

    private final String kind;

    public Golden(String kind) {
        this.kind = kind;
    }

    /** What stands in {@code <kind>/<scenario>}. */
    public static String text(String file) {
        try {
            return Files.readString(ROOT.resolve(file + ".yaml"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void check(String scenario, Object status) {
        Path file = ROOT.resolve(kind).resolve(scenario + ".yaml");
        String actual = Serialization.asYaml(status);
        try {
            if (Boolean.getBoolean("golden.update")) {
                Files.createDirectories(file.getParent());
                Files.writeString(file, actual);
            }
            assertThat(Files.exists(file))
                    .as("missing " + file + ": run with -Dgolden.update=true and review")
                    .isTrue();
            assertThat(actual).as(file.toString()).isEqualTo(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One test for each scenario; what is seen in it becomes a status in its own test. */
    public <T> Stream<DynamicTest> each(Map<String, T> scenarios, Function<T, ?> status) {
        return scenarios.entrySet().stream()
                .map(one ->
                        DynamicTest.dynamicTest(one.getKey(), () -> check(one.getKey(), status.apply(one.getValue()))));
    }

    /** A file that no scenario wants any more fails. */
    public void nothingElseThan(Iterable<String> scenarios) {
        try (var files = Files.list(ROOT.resolve(kind))) {
            assertThat(files.map(file -> file.getFileName().toString().replace(".yaml", "")))
                    .containsExactlyInAnyOrderElementsOf(scenarios);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
