package io.shardwright.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Answers as people read them, {@code src/test/resources/golden/<scenario>.txt}. {@code -Dgolden.update=true} rewrites them; the
 * diff is for review.
 */
public final class Golden {
    private static final Path ROOT = Path.of("src", "test", "resources", "golden");

    private Golden() {}

    public static void check(String scenario, String text) {
        Path file = ROOT.resolve(scenario + ".txt");
        try {
            if (Boolean.getBoolean("golden.update")) {
                Files.createDirectories(ROOT);
                Files.writeString(file, text);
            }
            assertThat(Files.exists(file))
                    .as("missing " + file + ": run with -Dgolden.update=true and review")
                    .isTrue();
            assertThat(text).as(file.toString()).isEqualTo(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
