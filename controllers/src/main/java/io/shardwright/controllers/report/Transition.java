package io.shardwright.controllers.report;

/**
 * Something that changed and is worth an event, once the status that shows it is stored.
 *
 * @param reason one word of a bounded list
 */
public record Transition(Severity severity, String reason, String message) {
    public enum Severity {
        NORMAL("Normal"),
        WARNING("Warning");

        private final String wire;

        Severity(String wire) {
            this.wire = wire;
        }
    }

    public static Transition normal(String reason, String message) {
        return new Transition(Severity.NORMAL, reason, message);
    }

    public static Transition warning(String reason, String message) {
        return new Transition(Severity.WARNING, reason, message);
    }

    String type() {
        return severity.wire;
    }
}
