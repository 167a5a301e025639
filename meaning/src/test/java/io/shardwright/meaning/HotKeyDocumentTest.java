package io.shardwright.meaning;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.hotkeys.HotKeyReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The page about hot keys says of each reason what the code says. */
class HotKeyDocumentTest {
    @Test
    void everyReasonIsExplainedAsItIsMeant() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "hot-keys.md"));

        for (HotKeyReason reason : HotKeyReason.values()) {
            assertThat(page)
                    .containsPattern("\\| `" + reason.wire() + "` \\| [A-Za-z, ]+ \\| ")
                    .contains("| " + reason.meaning() + " |");
        }
        assertThat(page.lines().filter(line -> line.startsWith("| `"))).hasSize(HotKeyReason.values().length);
    }
}
