package io.shardwright.routing;

/**
 * How many requests were for one key, between two bounds that certainly hold.
 *
 * @param key canonical text
 */
public record KeyLoad(String key, long atLeast, long atMost) {
    /** Longest text of a key, in characters. A longer one cannot be pinned, so nobody needs to hear of it. */
    public static final int MAX_KEY = 128;
}
