package io.shardwright.dataplane.postgres.move.stream;

import java.util.List;

/** The values of one row image, as text and in the order of the relation's columns. */
public record Tuple(List<Value> values) {
    /** @param text null unless kind is TEXT */
    public record Value(Kind kind, String text) {
        public static final Value NULL = new Value(Kind.NULL, null);
        public static final Value UNCHANGED = new Value(Kind.UNCHANGED, null);

        public static Value of(String text) {
            return new Value(Kind.TEXT, text);
        }
    }

    public enum Kind {
        NULL,
        /** a value stored out of line that the update did not touch; the log does not have it */
        UNCHANGED,
        TEXT
    }

    public Value at(int column) {
        return values.get(column);
    }

    /** Rough size in memory, to bound groups. */
    public int size() {
        int size = 32;
        for (Value value : values) {
            size += 16 + (value.text() == null ? 0 : value.text().length());
        }
        return size;
    }
}
