package io.shardwright.routing;

/** A shard as routers see it: its role and where its primary listens (port 1..65535). */
public record ShardEntry(ShardRole role, String host, int port) {}
