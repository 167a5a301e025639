package io.shardwright.client.load;

import java.util.Arrays;
import java.util.Map;

/**
 * Counts the keys that come most often, in bounded memory (Misra and Gries): while there is room every key has a counter; when there
 * is none, the median of all counters is taken off each of them, and those that are used up make room. So a key's counter is at most
 * what was taken off altogether below the truth, and never above it; a key without a counter came no more often than that. Each
 * time, at least half of the counters lose the median, so no more is taken off than twice what was counted, divided by the
 * capacity. Not thread-safe.
 */
final class KeySketch {
    /** Of a thousand requests, no counter is more than 2.7 short. */
    static final int CAPACITY = 768;

    private static final int FIRST_SLOTS = 64;
    private static final int SPREAD = 0x9E3779B9;

    private final int capacity;
    private String[] keys = new String[FIRST_SLOTS];
    private long[] counts = new long[FIRST_SLOTS];
    private int size;
    private long missing;

    KeySketch(int capacity) {
        this.capacity = capacity;
    }

    void add(String key) {
        int slot = slot(key);
        if (keys[slot] == null) {
            if (size == capacity) {
                makeRoom();
            } else if (size >= keys.length / 4 * 3) {
                rebuild(keys.length * 2, 0);
            }
            slot = slot(key);
            keys[slot] = key;
            size++;
        }
        counts[slot]++;
    }

    /** Adds the counters to those of other sketches; returns how much may be missing in each of them. */
    long addTo(Map<String, Long> sums) {
        for (int slot = 0; slot < keys.length; slot++) {
            if (keys[slot] != null) {
                sums.merge(keys[slot], counts[slot], Long::sum);
            }
        }
        return missing;
    }

    private int slot(String key) {
        int slot = key.hashCode() * SPREAD >>> Integer.numberOfLeadingZeros(keys.length) + 1;
        while (keys[slot] != null && !keys[slot].equals(key)) {
            slot = slot + 1 & keys.length - 1;
        }
        return slot;
    }

    private void makeRoom() {
        long[] sorted = new long[size];
        int next = 0;
        for (int slot = 0; slot < keys.length; slot++) {
            if (keys[slot] != null) {
                sorted[next++] = counts[slot];
            }
        }
        Arrays.sort(sorted);
        long median = sorted[size / 2];
        missing += median;
        rebuild(keys.length, median);
    }

    private void rebuild(int slots, long less) {
        String[] oldKeys = keys;
        long[] oldCounts = counts;
        keys = new String[slots];
        counts = new long[slots];
        size = 0;
        for (int old = 0; old < oldKeys.length; old++) {
            if (oldCounts[old] > less) {
                int slot = slot(oldKeys[old]);
                keys[slot] = oldKeys[old];
                counts[slot] = oldCounts[old] - less;
                size++;
            }
        }
    }
}
