package io.shardwright.crds.shardcluster;

import com.fasterxml.jackson.annotation.JsonValue;

/** Databases that can be sharded. */
public enum Engine {
    POSTGRESQL("PostgreSQL");

    private final String wire;

    Engine(String wire) {
        this.wire = wire;
    }

    @JsonValue
    public String wire() {
        return wire;
    }
}
