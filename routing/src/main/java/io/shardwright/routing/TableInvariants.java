package io.shardwright.routing;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Whether a table may be used (routers) or written (the operator). Silence of this class is what makes a table good; a
 * router that hears a violation keeps its last good table and sends it as its NACK.
 */
public final class TableInvariants {
    private TableInvariants() {}

    /**
     * For a reader, who may have missed tables in between.
     *
     * @param previous the table in force, or null
     * @return violations in the order of {@link TableRule}; empty when the table is good
     */
    public static List<Violation> check(RoutingTable previous, RoutingTable next) {
        List<Violation> violations = new ArrayList<>(TableShape.check(next));
        if (previous != null) {
            violations.addAll(TableTransition.seenByReader(previous, next));
        }
        return sorted(violations.stream());
    }

    /**
     * For the writer, who replaces exactly the previous table: the twin of the rules that the API server enforces.
     *
     * @param previous the stored table, or null when there is none
     */
    public static List<Violation> checkWrite(RoutingTable previous, RoutingTable next) {
        List<Violation> violations = new ArrayList<>(TableShape.check(next));
        if (previous != null) {
            violations.addAll(TableTransition.madeByWriter(previous, next));
        }
        return sorted(violations.stream());
    }

    private static List<Violation> sorted(Stream<Violation> violations) {
        return violations.sorted((a, b) -> a.rule().compareTo(b.rule())).toList();
    }
}
