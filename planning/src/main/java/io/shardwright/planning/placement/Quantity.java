package io.shardwright.planning.placement;

/** A number with its noun, as people read it: "1 move", "20 moves". */
public final class Quantity {
    private Quantity() {}

    /** @param noun in the singular; its plural ends with an s */
    public static String of(long count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }
}
