package io.shardwright.e2e.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/**
 * Tells the story on a terminal: steps with the time since the start, and one line that is redrawn for progress. Without a
 * terminal every change of progress is a plain line of its own, at most ten for one bar.
 */
public final class Narrator {
    private static final int BAR = 40;

    private final PrintStream out;
    private final boolean terminal;
    private final Instant start = Instant.now();
    private boolean barOpen;
    private int lastTenth = -1;

    public Narrator(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** Run with {@code -Djdk.console=java.base}: newer JDKs otherwise have a console where there is no terminal. */
    public static Narrator standard() {
        return new Narrator(System.out, System.console() != null);
    }

    public Duration elapsed() {
        return Duration.between(start, Instant.now());
    }

    /** A new chapter. */
    public synchronized void step(String text) {
        closeBar();
        lastTenth = -1;
        out.printf("%n%s  %s%n", clock(), terminal ? "\033[1m" + text + "\033[0m" : text);
    }

    /** A line within the chapter. */
    public synchronized void say(String text, Object... arguments) {
        closeBar();
        for (String line : String.format(Locale.ROOT, text, arguments).split("\n")) {
            out.printf("         %s%n", line);
        }
    }

    /** Done of total, with a word on what happens now. */
    public synchronized void progress(int done, int total, String what) {
        if (terminal) {
            int filled = total == 0 ? 0 : BAR * done / total;
            String bar = "#".repeat(filled) + ".".repeat(BAR - filled);
            out.printf("\r\033[K         [%s] %d/%d  %s", bar, done, total, what);
            out.flush();
            barOpen = true;
            return;
        }
        int tenth = total == 0 ? 0 : 10 * done / total;
        if (tenth != lastTenth) {
            lastTenth = tenth;
            out.printf("         %d/%d  %s%n", done, total, what);
        }
    }

    private void closeBar() {
        if (barOpen) {
            out.println();
            barOpen = false;
        }
    }

    private String clock() {
        Duration since = elapsed();
        return String.format(Locale.ROOT, "[%2d:%04.1f]", since.toMinutes(), since.toMillis() % 60_000 / 1000.0);
    }
}
