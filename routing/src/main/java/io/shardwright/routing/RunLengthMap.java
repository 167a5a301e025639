package io.shardwright.routing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * One value for each bucket, written as runs: {@code ds-0*25,ds-1*25}. Owners (text) and fence epochs (numbers) travel in
 * this form, because a list of 65,536 items makes every write of the object slow. Immutable.
 */
public final class RunLengthMap<T> {
    private final List<T> values;

    private RunLengthMap(List<T> values) {
        this.values = values;
    }

    public static <T> RunLengthMap<T> of(List<T> values) {
        return new RunLengthMap<>(List.copyOf(values));
    }

    public static <T> RunLengthMap<T> filled(int buckets, T value) {
        return new RunLengthMap<>(List.copyOf(java.util.Collections.nCopies(buckets, value)));
    }

    /** @throws IllegalArgumentException when the text is malformed or does not cover exactly that many buckets */
    public static <T> RunLengthMap<T> parse(String text, int buckets, Function<String, T> value) {
        List<T> values = new ArrayList<>(buckets);
        for (String run : text.split(",", -1)) {
            int star = run.lastIndexOf('*');
            if (star < 1) {
                throw new IllegalArgumentException("a run is value*count, not '" + run + "'");
            }
            int count = count(run.substring(star + 1));
            if (count < 1 || count > buckets - values.size()) {
                throw new IllegalArgumentException(
                        "the runs cover more than " + buckets + " buckets or have an empty run");
            }
            T owner = value.apply(run.substring(0, star));
            for (int i = 0; i < count; i++) {
                values.add(owner);
            }
        }
        if (values.size() != buckets) {
            throw new IllegalArgumentException("the runs cover " + values.size() + " of " + buckets + " buckets");
        }
        return of(values);
    }

    private static int count(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("a run's count is a number, not '" + text + "'", e);
        }
    }

    public T get(int bucket) {
        return values.get(bucket);
    }

    public int buckets() {
        return values.size();
    }

    public List<T> values() {
        return values;
    }

    public RunLengthMap<T> with(int bucket, T value) {
        @SuppressWarnings("unchecked")
        T[] copy = (T[]) values.toArray();
        copy[bucket] = value;
        return of(Arrays.asList(copy));
    }

    /** The shortest runs, in bucket order. */
    public String encode() {
        StringBuilder text = new StringBuilder();
        for (int from = 0; from < values.size(); ) {
            int to = from;
            while (to < values.size() && values.get(to).equals(values.get(from))) {
                to++;
            }
            text.append(text.length() == 0 ? "" : ",")
                    .append(values.get(from))
                    .append('*')
                    .append(to - from);
            from = to;
        }
        return text.toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RunLengthMap<?> map && values.equals(map.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return encode();
    }
}
