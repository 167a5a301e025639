package io.shardwright.routing;

/**
 * A rule that a table breaks.
 *
 * @param message what is wrong and with what, for people
 */
public record Violation(TableRule rule, String message) {
    /** The form of a NACK: {@code T9: web processes see ...}. */
    @Override
    public String toString() {
        return rule + ": " + message;
    }
}
