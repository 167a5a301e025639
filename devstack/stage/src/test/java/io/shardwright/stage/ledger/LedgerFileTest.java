package io.shardwright.stage.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.stage.ledger.LedgerEntry.Kind;
import io.shardwright.stage.ledger.LedgerEntry.Mode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LedgerFileTest {
    @TempDir
    private Path directory;

    @Test
    void readsBackWhatWasHeardAndTakesSilenceAsUnknown() throws IOException {
        Path file = directory.resolve("ledger.tsv");
        long heard;
        long silent;
        try (var writer = new LedgerWriter(file, 3)) {
            heard = writer.begin(7, Kind.INSERT, "w-o-3-1", Mode.AUTOCOMMIT, Instant.now());
            silent = writer.begin(8, Kind.UPDATE, "w-o-3-2", Mode.TRANSACTION, Instant.now());
            writer.end(heard, Outcome.ACKNOWLEDGED);
        }
        Files.writeString(file, "=\t" + silent + "\tACKNOW", StandardOpenOption.APPEND); // a kill cuts a line

        List<LedgerLine> lines = LedgerReader.read(List.of(file));

        assertThat(lines).extracting(LedgerLine::outcome).containsExactly(Outcome.ACKNOWLEDGED, Outcome.UNKNOWN);
        assertThat(lines).extracting(line -> line.entry().id()).containsExactly(heard, silent);
        assertThat(lines.get(0).waitMs()).isNotNegative();
    }

    @Test
    void givesIdsThatNoOtherRouterGives() {
        try (var one = new LedgerWriter(directory.resolve("1"), 1);
                var two = new LedgerWriter(directory.resolve("2"), 2)) {
            long first = one.begin(7, Kind.INSERT, "w-a", Mode.AUTOCOMMIT, Instant.now());
            long second = two.begin(7, Kind.INSERT, "w-b", Mode.AUTOCOMMIT, Instant.now());

            assertThat(first).isNotEqualTo(second);
        }
    }
}
