package io.shardwright.client;

import io.shardwright.client.feed.AckSender;
import io.shardwright.client.feed.FeedReader;
import io.shardwright.client.table.FenceWatch;
import io.shardwright.client.table.LastKnownWriter;
import io.shardwright.client.table.MountedFile;
import io.shardwright.client.table.TableIntake;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** All that brings tables, and what must be looked at from time to time. Any part may be missing (null). */
final class TableSources implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(TableSources.class.getName());
    private static final long FENCE_PERIOD_SECONDS = 5;

    private final TableIntake intake;
    private final MountedFile mounted;
    private final FenceWatch fences;
    private final FeedReader feed;
    private final AckSender acks;
    private final LastKnownWriter lastTables;
    private final ScheduledExecutorService ticks = Executors.newScheduledThreadPool(2, task -> {
        Thread thread = new Thread(task, "shardwright-ticks");
        thread.setDaemon(true);
        return thread;
    });

    TableSources(
            TableIntake intake,
            MountedFile mounted,
            FenceWatch fences,
            FeedReader feed,
            AckSender acks,
            LastKnownWriter lastTables) {
        this.intake = intake;
        this.mounted = mounted;
        this.fences = fences;
        this.feed = feed;
        this.acks = acks;
        this.lastTables = lastTables;
    }

    void start() {
        if (feed != null) {
            feed.start();
            acks.start();
        }
        ticks.scheduleWithFixedDelay(guarded(this::tick), 1, 1, TimeUnit.SECONDS);
        ticks.scheduleWithFixedDelay(
                guarded(fences::look), FENCE_PERIOD_SECONDS, FENCE_PERIOD_SECONDS, TimeUnit.SECONDS);
    }

    /**
     * Looks for a newer table now, on other threads: in the mounted file, and by an acknowledgement, whose answer names the
     * newest order; a feed that does not bring that order is then opened again.
     */
    void refresh() {
        if (mounted != null && !ticks.isShutdown()) {
            ticks.execute(guarded(this::readMounted));
        }
        if (acks != null) {
            acks.changed();
        }
    }

    private void tick() {
        readMounted();
        intake.reachAgain();
        if (feed != null) {
            feed.closeWhenSilent();
        }
    }

    void readMounted() {
        if (mounted != null) {
            synchronized (mounted) {
                mounted.poll().ifPresent(document -> intake.offer(document, "mounted file"));
            }
        }
    }

    /** A scheduled task that throws is never run again; this one is. */
    private static Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "a periodic task of the router failed and will run again", e);
            }
        };
    }

    @Override
    public void close() {
        ticks.shutdownNow();
        if (feed != null) {
            acks.close();
            feed.close();
        }
        if (lastTables != null) {
            lastTables.close();
        }
    }
}
