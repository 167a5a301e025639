package io.shardwright.stage.ledger;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.LongToIntFunction;
import java.util.stream.Stream;

/** What clients of one bucket felt in a window of time, from the ledgers. */
public final class WriteWaits {
    private final List<LedgerLine> ledger;
    private final LongToIntFunction bucketOfTenant;

    public WriteWaits(List<LedgerLine> ledger, LongToIntFunction bucketOfTenant) {
        this.ledger = ledger;
        this.bucketOfTenant = bucketOfTenant;
    }

    /** Acknowledged writes of the bucket that were answered in the window. */
    public long acknowledged(int bucket, Instant from, Instant to) {
        return within(bucket, from, to)
                .filter(line -> line.outcome() == Outcome.ACKNOWLEDGED)
                .count();
    }

    /** Acknowledged writes per second of the time in which anything was acknowledged. */
    public double perSecond() {
        var ends = ledger.stream()
                .filter(line -> line.outcome() == Outcome.ACKNOWLEDGED)
                .mapToLong(LedgerLine::endMicros)
                .summaryStatistics();
        return ends.getCount() < 2 ? 0 : 1e6 * ends.getCount() / (ends.getMax() - ends.getMin());
    }

    /** The longest wait in milliseconds, from the intended send time, of a write of the bucket that overlaps the window. */
    public OptionalDouble longestMs(int bucket, Instant from, Instant to) {
        return within(bucket, from, to).mapToDouble(LedgerLine::waitMs).max();
    }

    private Stream<LedgerLine> within(int bucket, Instant from, Instant to) {
        long begin = ChronoUnit.MICROS.between(Instant.EPOCH, from);
        long end = ChronoUnit.MICROS.between(Instant.EPOCH, to);
        return ledger.stream()
                .filter(line -> line.endMicros() >= begin && line.entry().intendedMicros() <= end)
                .filter(line -> bucketOfTenant.applyAsInt(line.entry().tenant()) == bucket);
    }
}
