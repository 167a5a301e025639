package io.shardwright.routing;

/** General shards take buckets; Dedicated shards serve pinned keys only. */
public enum ShardRole {
    GENERAL("General"),
    DEDICATED("Dedicated");

    private final String wire;

    ShardRole(String wire) {
        this.wire = wire;
    }

    public String wire() {
        return wire;
    }

    public static ShardRole fromWire(String wire) {
        for (ShardRole role : values()) {
            if (role.wire.equals(wire)) {
                return role;
            }
        }
        throw new IllegalArgumentException("a shard's role must be General or Dedicated, not " + wire);
    }
}
