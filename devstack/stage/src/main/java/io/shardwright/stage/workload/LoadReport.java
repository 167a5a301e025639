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
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * What the application saw so far. Written to a file every second and at the end, replaced as a whole, so that whoever reads
 * it sees one moment. Writes are counted by their effects on rows, as the ledger does.
 */
final class LoadReport {
    private static final System.Logger LOG = System.getLogger(LoadReport.class.getName());
    private static final int DIGITS = 3;
    private static final long LOGGED_PER_STATE = 5;

    private final LongAdder sent = new LongAdder();
    private final Map<Outcome, LongAdder> outcomes = new EnumMap<>(Outcome.class);
    private final Map<Mode, Map<String, LongAdder>> errors = new EnumMap<>(Mode.class);
    private final Map<Mode, Histogram> waits = new EnumMap<>(Mode.class);

    LoadReport() {
        for (Outcome outcome : Outcome.values()) {
            outcomes.put(outcome, new LongAdder());
        }
        for (Mode mode : Mode.values()) {
            errors.put(mode, new ConcurrentHashMap<>());
            waits.put(mode, new ConcurrentHistogram(DIGITS));
        }
    }

    void sent(int effects) {
        sent.add(effects);
    }

    void heard(Outcome outcome, int effects, Mode mode, Instant intended) {
        outcomes.get(outcome).add(effects);
        waits.get(mode)
                .recordValue(
                        Math.max(0, Duration.between(intended, Instant.now()).toNanos() / 1_000));
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
        document.put("applicationErrors", byMode(errors, LoadReport::counts));
        document.put("waitMicros", byMode(waits, LoadReport::percentiles));
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

    private interface Form<T> {
        Map<String, Object> of(T value);
    }

    private static <T> Map<String, Object> byMode(Map<Mode, T> values, Form<T> form) {
        Map<String, Object> byMode = new TreeMap<>();
        values.forEach((mode, value) -> byMode.put(mode.name().toLowerCase(Locale.ROOT), form.of(value)));
        return byMode;
    }

    private static Map<String, Object> counts(Map<String, LongAdder> counted) {
        Map<String, Object> counts = new TreeMap<>();
        counted.forEach((name, count) -> counts.put(name, count.sum()));
        return counts;
    }

    /** From the intended send time to the answer. */
    private static Map<String, Object> percentiles(Histogram histogram) {
        return Map.of(
                "p50", histogram.getValueAtPercentile(50),
                "p95", histogram.getValueAtPercentile(95),
                "p99", histogram.getValueAtPercentile(99),
                "max", histogram.getMaxValue());
    }

    private static Map<String, Object> refusals(Shardwright sw) {
        Map<String, Object> refusals = new TreeMap<>();
        for (FenceState state : FenceState.values()) {
            refusals.put(state.name(), sw.counters().refusals(state));
        }
        return refusals;
    }
}
