package io.shardwright.routing;

/** What kind of process a router is; routing changes reach workers before web processes. */
public enum Role {
    WORKER("worker"),
    WEB("web");

    private final String wire;

    Role(String wire) {
        this.wire = wire;
    }

    /** The name in tables, acknowledgements and metrics labels. */
    public String wire() {
        return wire;
    }

    public static Role fromWire(String wire) {
        for (Role role : values()) {
            if (role.wire.equals(wire)) {
                return role;
            }
        }
        throw new IllegalArgumentException("role must be worker or web, not " + wire);
    }
}
