package io.shardwright.stage.ledger;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads ledgers back. An operation without an answer, and a last line that a kill cut short, are UNKNOWN. */
public final class LedgerReader {
    private static final int ENTRY_WORDS = 7;
    private static final int ANSWER_WORDS = 4;

    private LedgerReader() {}

    /** All operations in the order in which each router sent them, router by router. */
    public static List<LedgerLine> read(List<Path> ledgers) {
        var lines = new ArrayList<LedgerLine>();
        ledgers.forEach(ledger -> lines.addAll(readOne(ledger)));
        return List.copyOf(lines);
    }

    private static List<LedgerLine> readOne(Path ledger) {
        Map<Long, LedgerLine> lines = new LinkedHashMap<>();
        for (String line : complete(ledger)) {
            String[] words = line.split("\t", -1);
            if (words[0].equals(">") && words.length == ENTRY_WORDS) {
                LedgerEntry entry = LedgerEntry.parse(words);
                lines.put(entry.id(), new LedgerLine(entry, Outcome.UNKNOWN, 0));
            } else if (words[0].equals("=") && words.length == ANSWER_WORDS) {
                LedgerEntry entry = lines.get(Long.parseLong(words[1])).entry();
                lines.put(entry.id(), new LedgerLine(entry, Outcome.valueOf(words[2]), Long.parseLong(words[3])));
            } else {
                throw new IllegalArgumentException(ledger + ": no line of a ledger: " + line);
            }
        }
        return List.copyOf(lines.values());
    }

    private static List<String> complete(Path ledger) {
        try {
            String text = Files.readString(ledger);
            int end = text.lastIndexOf('\n');
            return end < 0 ? List.of() : text.substring(0, end).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
