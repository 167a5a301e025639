package io.shardwright.planning.hotkeys;

import java.util.Arrays;
import java.util.Optional;

/** Why a key is in its state; a word never changes its meaning. */
public enum HotKeyReason {
    // --- Candidate, in the order in which they are looked at
    PINNED_BY_SPEC("PinnedBySpec", "A pin of the spec has it already."),
    COOLDOWN(
            "Cooldown",
            "It went home, or its proposal was withdrawn; it is not proposed anew before the cooldown is over."),
    BELOW_THRESHOLD("BelowThreshold", "It was above the threshold, and is not below half of it yet."),
    WINDOW_NOT_COVERED("WindowNotCovered", "Not every live router has reported for a whole window."),
    FEW_REQUESTS("FewRequests", "The shard has less than one request per second; shares of so few say nothing."),
    MAX_PINS("MaxPins", "Detection holds as many keys as maxPins allows."),
    NO_TARGET("NoTarget", "None of the targets is a Dedicated shard that takes keys."),
    PLAN_UNDER_WAY("PlanUnderWay", "A plan is approved or runs; a proposal now would void its approval."),

    // --- Proposed, Pinned, CoolingDown
    ABOVE_THRESHOLD("AboveThreshold", "It is hot: the plan takes it to its target."),
    TARGET_CHANGED("TargetChanged", "Its shard takes no keys any more: the plan takes it to another target."),
    SERVED("Served", "Its Dedicated shard serves it."),
    BELOW_HALF(
            "BelowHalf",
            "It would have less than half of the threshold at home; the plan takes it there if it stays so."),
    GOING_HOME("GoingHome", "The cooldown is over: the plan takes it home."),
    DETECTION_OFF(
            "DetectionOff", "Nothing is detected any more: the plan takes it home, as it does with removed pins.");

    private final String wire;
    private final String meaning;

    HotKeyReason(String wire, String meaning) {
        this.wire = wire;
        this.meaning = meaning;
    }

    public String wire() {
        return wire;
    }

    /** One sentence for people. */
    public String meaning() {
        return meaning;
    }

    /** Empty for a word of a later release. */
    public static Optional<HotKeyReason> fromWire(String text) {
        return Arrays.stream(values())
                .filter(reason -> reason.wire.equals(text))
                .findFirst();
    }
}
