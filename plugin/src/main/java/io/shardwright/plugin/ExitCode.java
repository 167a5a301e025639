package io.shardwright.plugin;

/** What a script may rely on. */
public final class ExitCode {
    /** Done, or there was nothing to do. */
    public static final int DONE = 0;
    /** Refused or failed: by the API server, by the plugin, or because a move ended otherwise than was waited for. */
    public static final int REFUSED = 1;
    /** The command line is wrong. */
    public static final int USAGE = 2;
    /** What was waited for has not happened in time; the intent stays set. */
    public static final int TIMEOUT = 3;

    private ExitCode() {}
}
