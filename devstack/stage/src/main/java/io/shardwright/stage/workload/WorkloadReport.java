package io.shardwright.stage.workload;

import io.shardwright.client.Shardwright;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.TableOrder;
import io.shardwright.routing.json.JsonWriter;
import io.shardwright.stage.ledger.LedgerEntry.Mode;
import io.shardwright.stage.ledger.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * What the application saw so far. Written to a file every second and at the end, replaced as a whole, so that whoever reads
 * it sees one moment. Writes are counted by their effects on rows, as the ledger does.
 */
final class WorkloadReport {
    private static final System.Logger LOG = System.getLogger(WorkloadReport.class.getName());
    private static final long LOGGED_PER_STATE = 5;

    private final LongAdder sent = new LongAdder();
    private final Map<Outcome, LongAdder> outcomes = new EnumMap<>(Outcome.class);
    private final Map<Mode, Map<String, LongAdder>> errors = new EnumMap<>(Mode.class);

    WorkloadReport() {
        for (Outcome outcome : Outcome.values()) {
            outcomes.put(outcome, new LongAdder());
        }
        for (Mode mode : Mode.values()) {
            errors.put(mode, new ConcurrentHashMap<>());
        }
    }

    void sent(int effects) {
        sent.add(effects);
    }

    void heard(Outcome outcome, int effects) {
        outcomes.get(outcome).add(effects);
    }

    /** An error that reached the application. The first ones of a kind are logged with their story. */
    void failed(Mode mode, String sqlState, Exception error) {
        LongAdder count = errors.get(mode).computeIfAbsent(sqlState, state -> new LongAdder());
        count.increment();
        if (count.sum() <= LOGGED_PER_STATE) {
            LOG.log(System.Logger.Level.WARNING, "the application saw " + sqlState + " in " + mode, error);
        }
    }

    void write(Path file, Shardwright sw) {
        Map<String, Object> document = new TreeMap<>();
        document.put("sent", sent.sum());
        document.put("acknowledged", outcomes.get(Outcome.ACKNOWLEDGED).sum());
        document.put("refused", outcomes.get(Outcome.REFUSED).sum());
        document.put("unknown", outcomes.get(Outcome.UNKNOWN).sum());
        document.put("replays", sw.counters().replays());
        document.put("staleRoutes", sw.counters().stale());
        document.put("refusalsByState", refusals(sw));
        document.put("applicationErrors", byMode(errors));
        document.put("tableRevision", sw.tableOrder().map(TableOrder::revision).orElse(0L));
        document.put("cutOff", sw.isCutOff());
        Path next = file.resolveSibling(file.getFileName() + ".next");
        try {
            Files.writeString(next, JsonWriter.write(document) + "\n");
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, Object> byMode(Map<Mode, Map<String, LongAdder>> errors) {
        Map<String, Object> byMode = new TreeMap<>();
        errors.forEach((mode, counted) -> byMode.put(mode.name().toLowerCase(Locale.ROOT), counts(counted)));
        return byMode;
    }

    private static Map<String, Object> counts(Map<String, LongAdder> counted) {
        Map<String, Object> counts = new TreeMap<>();
        counted.forEach((name, count) -> counts.put(name, count.sum()));
        return counts;
    }

    private static Map<String, Object> refusals(Shardwright sw) {
        Map<String, Object> refusals = new TreeMap<>();
        for (FenceState state : FenceState.values()) {
            refusals.put(state.name(), sw.counters().refusals(state));
        }
        return refusals;
    }
}
