package io.shardwright.e2e.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What one run of the demo measured, as {@code target/demo/report.json}. Times are milliseconds but for {@code seconds}.
 *
 * @param movedFrom buckets that left each shard, as the fence rows of all databases say
 * @param writesPerMovedBucket the least number of acknowledged writes in a moved bucket while its move ran
 * @param applicationErrors errors that the application saw, by mode
 * @param errorsByState the same errors, by SQLSTATE
 * @param replays times the client library repeated work after a refusal
 * @param operatorRestarts times that the operator ended by itself and was started again
 * @param switches every switch with its predicted and its actual write hold
 * @param longestClientWaitMs over the moved buckets: the longest wait of a write, from its intended send time to its answer,
 *     while the buckets of its move were being switched
 * @param longestClientWaitElsewhereMs the same, at the same times, over the buckets that stayed on the source: what the
 *     machine does without a switch
 * @param reversal the move that was taken back after its switch
 * @param isolatedKey the key that got a shard for itself and went home; null where that chapter is not played
 */
public record DemoReport(
        int movedBuckets,
        Map<String, Integer> movedFrom,
        Writes writes,
        WritesPerMovedBucket writesPerMovedBucket,
        ApplicationErrors applicationErrors,
        Map<String, Long> errorsByState,
        long replays,
        int operatorRestarts,
        Quantiles holdMs,
        PredictionError predictionErrorMs,
        List<Switch> switches,
        Quantiles longestClientWaitMs,
        Quantiles longestClientWaitElsewhereMs,
        Reversal reversal,
        IsolatedKey isolatedKey,
        double seconds) {

    /**
     * @param phase in which the move ended
     * @param owners of its buckets at the end, by the fence rows
     * @param writesOnTarget the least number of acknowledged writes in one of its buckets between the switch and the way back
     * @param holdMs longest write hold of the switches there
     * @param holdBackMs the same of those back
     */
    public record Reversal(
            List<Integer> buckets,
            String from,
            String to,
            String phase,
            Set<String> owners,
            long writesOnTarget,
            double holdMs,
            double holdBackMs) {}

    /**
     * @param shard that the fence rows named as its owner while it was isolated
     * @param rowsLeft of the fences, about the key, when it was home again
     * @param writes acknowledged writes of the key while it was isolated, before it was written less
     * @param holdMs longest write hold of its switch there
     * @param holdBackMs the same of that back
     * @param neighboursP95Before of other keys on its home shard, as the status of the policy says it
     */
    public record IsolatedKey(
            String key,
            String home,
            String shard,
            List<String> rowsLeft,
            long writes,
            double holdMs,
            double holdBackMs,
            String neighboursP95Before,
            String neighboursP95After) {}

    public record Writes(long acknowledged, long lost, long duplicated, long refused, long unknown) {}

    public record WritesPerMovedBucket(long min) {}

    public record ApplicationErrors(long autocommit, long transaction) {}

    public record Switch(int bucket, String from, String to, double predictedMs, double actualMs) {}

    /** @param p50 median of |actual - predicted| */
    public record PredictionError(double p50, double max) {}

    /** Nearest-rank quantiles. */
    public record Quantiles(double p50, double p95, double max) {
        public static Quantiles of(List<Double> values) {
            List<Double> sorted = values.stream().sorted().toList();
            return sorted.isEmpty()
                    ? new Quantiles(0, 0, 0)
                    : new Quantiles(rank(sorted, 0.50), rank(sorted, 0.95), sorted.get(sorted.size() - 1));
        }

        private static double rank(List<Double> sorted, double share) {
            return sorted.get((int) Math.ceil(share * sorted.size()) - 1);
        }
    }

    public void write(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(file.toFile(), this);
    }
}
