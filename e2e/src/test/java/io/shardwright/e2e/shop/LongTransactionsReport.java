package io.shardwright.e2e.shop;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.crds.bucketmove.BucketMoveStatus.Switch;
import io.shardwright.e2e.demo.BesideGoal;
import io.shardwright.e2e.demo.DemoReport.Quantiles;
import io.shardwright.e2e.demo.DemoReport.Writes;
import io.shardwright.e2e.shop.LongTransactions.Inside;
import io.shardwright.stage.ledger.AuditReport;
import io.shardwright.stage.ledger.WriteWaits;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/**
 * What a move among long transactions measured, as {@code target/long-transactions/report.json}. Times are milliseconds.
 *
 * @param longestClientWaitMs of any client that wrote to a moved bucket, from the intended send time, while the move ran
 * @param waitPerMovedBucketMs the longest wait of each moved bucket
 * @param waitAtFailedDrainMs the longest wait of each bucket whose writers a transaction did not let drain, about that time
 * @param waitElsewhereMs that of each bucket that stayed, in the time of the whole move: what the machine does without a move
 * @param longTransactions so many were open on buckets of the move, one after the other or beside each other
 * @param attempts to switch, as the operator counts them
 * @param failedDrains attempts that found no gap, so that writers went on
 * @param endedByTheServer statements on the source that its statement_timeout ended, by its log
 * @param replays work that the client library repeated, unseen by the application
 * @param drainMs how long the switches that were made waited for writers in flight
 * @param named sessions that the status said were in the way at the drain
 */
public record LongTransactionsReport(
        BesideGoal writesPerSecond,
        BesideGoal longestClientWaitMs,
        Quantiles waitPerMovedBucketMs,
        List<Double> waitAtFailedDrainMs,
        Quantiles waitElsewhereMs,
        Writes writes,
        long replays,
        int longTransactions,
        int attempts,
        int failedDrains,
        long endedByTheServer,
        Quantiles holdMs,
        Quantiles drainMs,
        List<String> named,
        double seconds) {
    private static final double WRITES_PER_SECOND = 300;

    /** What a client may wait beyond the drain that gives up. */
    private static final double GRACE_MS = 50;

    /** What the ledgers of the load say about a window of time: from the approval to the last switch. */
    public record Waits(WriteWaits ledger, Instant from, Instant to) {
        private static final Duration ATTEMPT = Duration.ofSeconds(1);

        Quantiles of(Collection<Integer> buckets) {
            return Quantiles.of(buckets.stream()
                    .flatMap(bucket ->
                            ledger.longestMs(bucket, from, to).stream().boxed())
                    .toList());
        }

        /** The drain begins as soon as they are inside. */
        List<Double> at(List<Inside> drains) {
            return drains.stream()
                    .map(one -> ledger.longestMs(
                                    one.bucket(), one.entered(), one.entered().plus(ATTEMPT))
                            .orElse(0))
                    .toList();
        }

        double seconds() {
            return Duration.between(from, to).toMillis() / 1000.0;
        }
    }

    /** What was counted elsewhere. */
    public record Counts(long replays, int longTransactions, long endedByTheServer) {}

    /**
     * @param move its last status
     * @param drains who entered just before a drain, and was named for it
     */
    public static LongTransactionsReport of(
            BucketMoveStatus move,
            Waits waits,
            Collection<Integer> moved,
            Collection<Integer> stayed,
            List<Inside> drains,
            Duration drainTimeout,
            AuditReport audit,
            Counts counts) {
        List<Switch> switches = move.switches();
        Quantiles ofMoved = waits.of(moved);
        return new LongTransactionsReport(
                BesideGoal.atLeast(WRITES_PER_SECOND, waits.ledger().perSecond()),
                BesideGoal.atMost(drainTimeout.toMillis() + GRACE_MS, ofMoved.max()),
                ofMoved,
                waits.at(drains),
                waits.of(stayed),
                new Writes(audit.acknowledged(), audit.lost(), audit.duplicated(), audit.refused(), audit.unknown()),
                counts.replays(),
                counts.longTransactions(),
                move.hold().attempts(),
                move.hold().attempts() - switches.size(),
                counts.endedByTheServer(),
                Quantiles.of(switches.stream().map(Switch::actualMs).toList()),
                Quantiles.of(switches.stream()
                        .map(one -> one.parts().getOrDefault("drain", 0.0))
                        .toList()),
                drains.stream().map(Inside::session).toList(),
                waits.seconds());
    }

    public void tell(PrintStream out) {
        out.println("writes per second  " + writesPerSecond.in("/s"));
        out.println("longest wait       " + longestClientWaitMs.in("ms") + " of any client on a bucket of the move");
        out.println("  per moved bucket " + words(waitPerMovedBucketMs));
        out.println("  failed drains    " + waitAtFailedDrainMs + " ms, on their buckets");
        out.println("  elsewhere        " + words(waitElsewhereMs) + " per bucket that stayed");
        out.println("writes             " + writes + ", replays " + replays);
        out.println("long transactions  " + longTransactions + " in " + seconds + " s");
        out.println("attempts           " + attempts + ", of which found no gap " + failedDrains + "; the server ended "
                + endedByTheServer);
        out.println("hold               " + words(holdMs) + "; drain " + words(drainMs));
        out.println("named at the drain " + named);
    }

    private static String words(Quantiles of) {
        return "p50 %.1f, p95 %.1f, max %.1f ms".formatted(of.p50(), of.p95(), of.max());
    }

    public void write(Path file) {
        try {
            Files.createDirectories(file.getParent());
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(file.toFile(), this);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
