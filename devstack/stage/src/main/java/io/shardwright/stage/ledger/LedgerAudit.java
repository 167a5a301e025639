package io.shardwright.stage.ledger;

import io.shardwright.stage.ledger.LedgerEntry.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

/**
 * Compares what routers heard with what lies in the databases. For each row the last acknowledged operation, and the unknown
 * ones after it, say which values the row may have; the owner of its bucket says where it must be.
 */
public final class LedgerAudit {
    private static final int FINDINGS_MAX = 50;

    private final LongFunction<String> ownerOfTenant;
    private final Copies copies;
    private final List<String> findings = new ArrayList<>();
    private long lost;
    private long duplicated;
    private long refusedFound;

    /** What may lie on shards that do not own a row's bucket. */
    public enum Copies {
        /** every move has been cleaned up: nothing */
        NONE,
        /** rows of moves that are not cleaned up yet; they do not count as duplicates */
        MAY_REMAIN
    }

    /** @param ownerOfTenant the shard whose fence row owns the tenant's bucket */
    public LedgerAudit(LongFunction<String> ownerOfTenant, Copies copies) {
        this.ownerOfTenant = ownerOfTenant;
        this.copies = copies;
    }

    /** @param ledger operations in the order in which each row's only writer sent them */
    public AuditReport audit(List<LedgerLine> ledger, Collection<StoredRow> stored) {
        Map<String, List<StoredRow>> found = stored.stream().collect(Collectors.groupingBy(StoredRow::row));
        Map<String, List<LedgerLine>> histories = new LinkedHashMap<>();
        ledger.forEach(line -> histories
                .computeIfAbsent(line.entry().row(), row -> new ArrayList<>())
                .add(line));
        histories.forEach((row, history) -> judge(row, history, found.getOrDefault(row, List.of())));
        Map<Outcome, Long> counts = new HashMap<>();
        ledger.forEach(line -> counts.merge(line.outcome(), 1L, Long::sum));
        return new AuditReport(
                counts.getOrDefault(Outcome.ACKNOWLEDGED, 0L),
                counts.getOrDefault(Outcome.REFUSED, 0L),
                counts.getOrDefault(Outcome.UNKNOWN, 0L),
                lost,
                duplicated,
                refusedFound,
                findings);
    }

    private void judge(String row, List<LedgerLine> history, List<StoredRow> found) {
        String owner = ownerOfTenant.apply(history.get(0).entry().tenant());
        List<StoredRow> counted = copies == Copies.NONE
                ? found
                : found.stream().filter(one -> one.shard().equals(owner)).toList();
        if (counted.size() > 1) {
            duplicated++;
            find("%s is there %d times: %s", row, counted.size(), counted);
        }
        OptionalLong value = found.stream()
                .filter(one -> one.shard().equals(owner))
                .mapToLong(StoredRow::value)
                .findFirst();
        if (!allowed(history).contains(value.orElse(ABSENT))) {
            accuse(row, history, value, owner);
        } else if (value.isEmpty() && !found.isEmpty() && copies == Copies.NONE) {
            lost++;
            find("%s is not on its owner %s but on %s", row, owner, found);
        }
    }

    private static final long ABSENT = 0;

    /** The values that the row may have: of the last acknowledged operation, and of each unknown one after it. */
    private static Set<Long> allowed(List<LedgerLine> history) {
        Set<Long> values = new TreeSet<>(Set.of(ABSENT));
        for (LedgerLine line : history) {
            long value =
                    line.entry().kind() == Kind.DELETE ? ABSENT : line.entry().id();
            if (line.outcome() == Outcome.ACKNOWLEDGED) {
                values.clear();
            }
            if (line.outcome() != Outcome.REFUSED) {
                values.add(value);
            }
        }
        return values;
    }

    private void accuse(String row, List<LedgerLine> history, OptionalLong value, String owner) {
        boolean ofRefused = history.stream()
                .anyMatch(line -> line.outcome() == Outcome.REFUSED
                        && value.isPresent()
                        && line.entry().id() == value.getAsLong());
        if (ofRefused) {
            refusedFound++;
        } else {
            lost++;
        }
        find(
                "%s on its owner %s is %s, but may be one of %s (0: no row)",
                row, owner, value.isPresent() ? value.getAsLong() : "missing", allowed(history));
    }

    private void find(String text, Object... arguments) {
        if (findings.size() < FINDINGS_MAX) {
            findings.add(String.format(text, arguments));
        }
    }
}
