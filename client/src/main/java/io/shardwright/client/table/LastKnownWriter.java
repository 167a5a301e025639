package io.shardwright.client.table;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Writes accepted tables to the last-known file on a thread of its own, so that no acknowledgement waits for a disk. While
 * one is being written only the newest of those that follow is kept. A crash may leave an older table, which a start
 * believes only until its first confirmed acknowledgement.
 */
public final class LastKnownWriter implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(LastKnownWriter.class.getName());
    private static final long CLOSE_SECONDS = 5;

    private final LastKnownFile file;
    private final AtomicReference<String> newest = new AtomicReference<>();
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread writer = new Thread(task, "shardwright-last-known");
        writer.setDaemon(true);
        return writer;
    });

    public LastKnownWriter(LastKnownFile file) {
        this.file = file;
    }

    /** Will be on disk soon; never blocks. After {@link #close()} it is dropped. */
    synchronized void keep(String document) {
        if (!thread.isShutdown() && newest.getAndSet(document) == null) {
            thread.execute(this::write);
        }
    }

    private void write() {
        file.write(newest.getAndSet(null));
    }

    /** The last table is durable when it returns, unless the disk takes more than 5 s. */
    @Override
    public void close() {
        synchronized (this) {
            thread.shutdown();
        }
        try {
            if (!thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                LOG.log(System.Logger.Level.WARNING, "the last known table is not on disk after {0} s", CLOSE_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
