package io.shardwright.planning.moves;

/** Where a move stands, as people read it in {@code kubectl get bm}. Wire names are those of move-protocol section 4.2. */
public enum MovePhase {
    PENDING("Pending"),
    VALIDATING("Validating"),
    PREPARING("Preparing"),
    COPYING("Copying"),
    CATCHING_UP("CatchingUp"),
    VERIFYING("Verifying"),
    READY("Ready"),
    SWITCHING("Switching"),
    PUBLISHING("Publishing"),
    REVERSIBLE("Reversible"),
    REVERSING("Reversing"),
    CLEANING_UP("CleaningUp"),
    SUCCEEDED("Succeeded"),
    REVERSED("Reversed"),
    PAUSED("Paused"),
    BLOCKED("Blocked"),
    ABORTING("Aborting"),
    ABORTED("Aborted"),
    FAILED("Failed");

    private final String wire;

    MovePhase(String wire) {
        this.wire = wire;
    }

    public String wire() {
        return wire;
    }

    public boolean terminal() {
        return this == SUCCEEDED || this == REVERSED || this == ABORTED || this == FAILED;
    }

    public static MovePhase fromWire(String wire) {
        for (MovePhase phase : values()) {
            if (phase.wire.equals(wire)) {
                return phase;
            }
        }
        throw new IllegalArgumentException("no such phase: " + wire);
    }
}
