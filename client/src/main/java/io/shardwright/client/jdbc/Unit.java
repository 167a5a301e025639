package io.shardwright.client.jdbc;

/**
 * A statement that has been executed.
 *
 * @param open the autocommit attempt that stays in flight until the result set closes, or null
 */
record Unit(Execution execution, Attempt open) {}
