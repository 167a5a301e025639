package io.shardwright.stage.ledger;

import io.shardwright.stage.ledger.LedgerEntry.Kind;
import io.shardwright.stage.ledger.LedgerEntry.Mode;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Appends to the ledger of one router. Each line is handed to the kernel before the call returns, so a SIGKILL cannot take
 * the record of an operation that was sent. Thread-safe.
 */
public final class LedgerWriter implements AutoCloseable {
    private static final int ROUTER_SHIFT = 32;

    private final FileOutputStream file;
    private final AtomicLong next;

    /** @param router a number that no other router of the run has, 0..65535; it goes into every id */
    public LedgerWriter(Path file, int router) {
        try {
            this.file = new FileOutputStream(file.toFile(), true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        next = new AtomicLong(((long) router << ROUTER_SHIFT) + 1);
    }

    /** Writes down what is about to be sent. @return the operation's id, which an INSERT or UPDATE stores as the value */
    public long begin(long tenant, Kind kind, String row, Mode mode, Instant intended) {
        long id = next.getAndIncrement();
        append(new LedgerEntry(id, tenant, kind, row, mode, micros(intended)).line());
        return id;
    }

    /** Writes down what was heard. */
    public void end(long id, Outcome outcome) {
        append(String.join("\t", "=", Long.toString(id), outcome.name(), Long.toString(micros(Instant.now()))));
    }

    private synchronized void append(String line) {
        try {
            file.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
