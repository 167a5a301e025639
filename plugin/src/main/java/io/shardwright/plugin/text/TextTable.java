package io.shardwright.plugin.text;

import java.util.ArrayList;
import java.util.List;

/** Columns under their titles, as kubectl has them: two spaces and more between, no lines, nothing cut. */
public final class TextTable {
    private static final String GAP = "  ";

    private final List<List<String>> rows = new ArrayList<>();

    public TextTable(String... titles) {
        rows.add(List.of(titles));
    }

    /** As many cells as titles; an absent value is the empty text. */
    public TextTable row(String... cells) {
        if (cells.length != rows.getFirst().size()) {
            throw new IllegalArgumentException(cells.length + " cells below " + rows.getFirst());
        }
        rows.add(List.of(cells));
        return this;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                line.append(row.get(column))
                        .append(" ".repeat(width(column) - length(row.get(column))))
                        .append(GAP);
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    private int width(int column) {
        return rows.stream().mapToInt(row -> length(row.get(column))).max().orElse(0);
    }

    private static int length(String cell) {
        return cell.codePointCount(0, cell.length());
    }
}
