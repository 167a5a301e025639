package io.shardwright.e2e.load;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.Map;
import java.util.TreeMap;

/**
 * What routers count by themselves.
 *
 * @param replays work that the client library repeated after a refusal, unseen by the application
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Counters(
        long sent, long acknowledged, long refused, long unknown, long replays, Errors applicationErrors) {
    public static final Counters NONE = new Counters(0, 0, 0, 0, 0, new Errors(Map.of(), Map.of()));

    /** Errors that the application saw, by SQLSTATE. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Errors(Map<String, Long> autocommit, Map<String, Long> transaction) {
        Errors plus(Errors other) {
            return new Errors(sum(autocommit, other.autocommit), sum(transaction, other.transaction));
        }

        /** Of both modes together. */
        public Map<String, Long> byState() {
            return sum(autocommit, transaction);
        }

        public long total() {
            return count(autocommit) + count(transaction);
        }

        public static long count(Map<String, Long> errors) {
            return errors.values().stream().mapToLong(Long::longValue).sum();
        }

        private static Map<String, Long> sum(Map<String, Long> one, Map<String, Long> two) {
            var both = new TreeMap<>(one);
            two.forEach((state, count) -> both.merge(state, count, Long::sum));
            return both;
        }
    }

    /** Writes that were begun and have no answer yet. */
    long underWay() {
        return sent - acknowledged - refused - unknown;
    }

    Counters plus(Counters other) {
        return new Counters(
                sent + other.sent,
                acknowledged + other.acknowledged,
                refused + other.refused,
                unknown + other.unknown,
                replays + other.replays,
                applicationErrors.plus(other.applicationErrors));
    }
}
