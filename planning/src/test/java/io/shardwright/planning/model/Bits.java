package io.shardwright.planning.model;

/** Writes and reads small numbers one after the other in a few long words; a number never crosses a word. */
final class Bits {
    private final long[] words;
    private int word;
    private int at;

    Bits(long[] words) {
        this.words = words;
    }

    Bits put(int value, int bits) {
        if (value < 0 || value >= 1 << bits) {
            throw new IllegalArgumentException(value + " does not fit " + bits + " bits");
        }
        advance(bits);
        words[word] |= (long) value << at;
        at += bits;
        return this;
    }

    Bits put(boolean value) {
        return put(value ? 1 : 0, 1);
    }

    int get(int bits) {
        advance(bits);
        int value = (int) (words[word] >>> at) & ((1 << bits) - 1);
        at += bits;
        return value;
    }

    boolean get() {
        return get(1) == 1;
    }

    private void advance(int bits) {
        if (at + bits > Long.SIZE) {
            word++;
            at = 0;
        }
    }
}
