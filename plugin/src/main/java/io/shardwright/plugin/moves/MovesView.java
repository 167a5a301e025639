package io.shardwright.plugin.moves;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.plugin.text.TextTable;
import io.shardwright.plugin.text.View;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** Moves, the oldest first. */
record MovesView(
        String namespace, List<MoveRow> moves, @JsonIgnore Instant now) implements View {
    static MovesView of(String namespace, Collection<BucketMove> moves, Instant now) {
        return new MovesView(
                namespace,
                moves.stream()
                        .map(MoveRow::of)
                        .sorted(Comparator.comparing(MoveRow::createdAt).thenComparing(MoveRow::name))
                        .toList(),
                now);
    }

    @Override
    public String text() {
        if (moves.isEmpty()) {
            return "no moves in namespace " + namespace + "\n";
        }
        TextTable table =
                new TextTable("NAME", "FROM", "TO", "BUCKETS", "INTENT", "PHASE", "ROWS", "LAG", "HOLD", "AGE");
        moves.forEach(move -> table.row(move.cells(now)));
        String remarks = moves.stream().map(MoveRow::remarks).collect(Collectors.joining());
        return table + (remarks.isEmpty() ? "" : "\n" + remarks);
    }
}
