package io.shardwright.planning.hotkeys;

import java.util.Arrays;

/** Where detection stands with a key. */
public enum HotKeyState {
    /** Hot, and for some reason not proposed; or taken home a short time ago. */
    CANDIDATE("Candidate"),
    /** Its move is a part of the plan. */
    PROPOSED("Proposed"),
    /** The routing table has it on a Dedicated shard. */
    PINNED("Pinned"),
    /** There still, and it would be cold at home. */
    COOLING_DOWN("CoolingDown");

    private final String wire;

    HotKeyState(String wire) {
        this.wire = wire;
    }

    public String wire() {
        return wire;
    }

    /** @throws IllegalArgumentException when it is none */
    public static HotKeyState fromWire(String text) {
        return Arrays.stream(values())
                .filter(state -> state.wire.equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no state of a hot key: " + text));
    }
}
