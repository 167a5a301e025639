package io.shardwright.e2e.demo;

/** A figure beside its goal. A goal that is missed is printed as missed; nothing fails by it. */
public record BesideGoal(double value, double goal, boolean met) {
    public static BesideGoal atMost(double goal, double value) {
        return new BesideGoal(value, goal, value <= goal);
    }

    public static BesideGoal atLeast(double goal, double value) {
        return new BesideGoal(value, goal, value >= goal);
    }

    /** As in "12.3 ms (goal 25: met)". */
    public String in(String unit) {
        return "%.1f %s (goal %.0f: %s)".formatted(value, unit, goal, met ? "met" : "MISSED");
    }
}
