/**
 * The ports to the databases: what controllers may ask of a shard, in words that no engine owns. Adapters live below
 * ({@code postgres}); nothing above this room imports them but the operator's wiring.
 */
package io.shardwright.dataplane;
