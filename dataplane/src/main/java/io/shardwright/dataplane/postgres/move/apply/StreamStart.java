package io.shardwright.dataplane.postgres.move.apply;

import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.routing.Scope;
import java.util.SortedSet;
import org.postgresql.replication.LogSequenceNumber;

/**
 * What a stream begins with.
 *
 * @param from end position of what has been applied
 * @param scopes whose rows still travel
 * @param tables as they were read before anything was copied
 */
public record StreamStart(LogSequenceNumber from, SortedSet<Scope> scopes, MovedTables tables) {}
