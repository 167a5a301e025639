package io.shardwright.servers;

/** What a command that has ended left: its exit code and both of its outputs. */
public record CommandResult(String command, int exitCode, String out, String err) {
    public boolean succeeded() {
        return exitCode == 0;
    }

    /** The standard output of a command that must succeed. */
    public String orThrow() {
        if (!succeeded()) {
            throw new IllegalStateException("%s ended with %d:%n%s%s".formatted(command, exitCode, out, err));
        }
        return out;
    }
}
