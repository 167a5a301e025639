package io.shardwright.plugin;

import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Clock;

/** Where a command reads and writes, and its clock; tests bring their own. */
public record Surroundings(InputStream in, PrintWriter out, PrintWriter err, Clock clock) {
    static Surroundings ofProcess() {
        return new Surroundings(
                System.in,
                new PrintWriter(System.out, true, StandardCharsets.UTF_8),
                new PrintWriter(System.err, true, StandardCharsets.UTF_8),
                Clock.systemUTC());
    }
}
