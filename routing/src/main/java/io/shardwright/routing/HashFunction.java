package io.shardwright.routing;

/** How a key becomes a bucket. MD5 spreads keys, it protects nothing; Modulo adopts a {@code key % N} layout in place. */
public enum HashFunction {
    MD5("MD5"),
    MODULO("Modulo");

    private final String wire;

    HashFunction(String wire) {
        this.wire = wire;
    }

    /** The name in specs, tables and documents. */
    public String wire() {
        return wire;
    }

    /** @throws IllegalArgumentException with the accepted names */
    public static HashFunction fromWire(String wire) {
        for (HashFunction function : values()) {
            if (function.wire.equals(wire)) {
                return function;
            }
        }
        throw new IllegalArgumentException("hash must be MD5 or Modulo, not " + wire);
    }
}
