package io.shardwright.crds;

/** Truth of a condition. Unknown is never treated as good. */
public enum ConditionStatus {
    TRUE("True"),
    FALSE("False"),
    UNKNOWN("Unknown");

    private final String wire;

    ConditionStatus(String wire) {
        this.wire = wire;
    }

    public String wire() {
        return wire;
    }

    public static ConditionStatus of(boolean holds) {
        return holds ? TRUE : FALSE;
    }
}
