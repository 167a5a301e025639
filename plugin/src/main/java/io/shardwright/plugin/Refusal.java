package io.shardwright.plugin;

/** Something cannot be done, with the reason and with what to do about it; never a stack trace. */
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String nextAction;
    private final int exitCode;

    public Refusal(String message, String nextAction) {
        this(message, nextAction, ExitCode.REFUSED);
    }

    public Refusal(String message, String nextAction, int exitCode) {
        super(message);
        this.nextAction = nextAction;
        this.exitCode = exitCode;
    }

    public String nextAction() {
        return nextAction;
    }

    public int exitCode() {
        return exitCode;
    }
}
