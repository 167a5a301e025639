package io.shardwright.stage.shop;

import java.util.UUID;

/** Passwords of the logins on all shards of one stage. Each has {@link #MARK} in it, so that a search finds one that leaked. */
public record Passwords(String operator, String mover, String application) {
    public static final String MARK = "canary-";

    public static Passwords random() {
        return new Passwords(next(), next(), next());
    }

    private static String next() {
        return MARK + UUID.randomUUID();
    }
}
