package io.shardwright.routing;

/** How an application writes its shard key; decides the canonical text of a key. Never changes for a cluster. */
public enum KeyType {
    INT64("Int64"),
    STRING("String"),
    UUID("UUID");

    private final String wire;

    KeyType(String wire) {
        this.wire = wire;
    }

    /** The name in specs, tables and documents. */
    public String wire() {
        return wire;
    }

    /** @throws IllegalArgumentException with the accepted names */
    public static KeyType fromWire(String wire) {
        for (KeyType type : values()) {
            if (type.wire.equals(wire)) {
                return type;
            }
        }
        throw new IllegalArgumentException("keyType must be Int64, String or UUID, not " + wire);
    }
}
