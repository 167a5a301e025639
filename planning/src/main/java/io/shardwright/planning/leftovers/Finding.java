package io.shardwright.planning.leftovers;

/** Something that is left and not swept: what was seen, and what somebody should do. */
public record Finding(String shard, String seen, String nextAction) {}
