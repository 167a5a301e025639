package io.shardwright.dataplane.postgres.move.stream;

import java.util.List;
import org.postgresql.replication.LogSequenceNumber;

/** One message of {@code pgoutput}, protocol version 1, as far as a mover needs it. */
public sealed interface LogicalMessage {
    /** @param xid 32 bits of the top transaction, unsigned */
    record Begin(long xid) implements LogicalMessage {}

    /** @param end position behind the transaction; streaming from there does not bring it again */
    record Commit(LogSequenceNumber end) implements LogicalMessage {}

    record RelationChange(Relation relation) implements LogicalMessage {}

    record Insert(int relationId, Tuple row) implements LogicalMessage {}

    /** @param old the replica identity before the change, only when it changed (or is FULL), else null */
    record Update(int relationId, Tuple old, Tuple row) implements LogicalMessage {}

    /** @param old the replica identity */
    record Delete(int relationId, Tuple old) implements LogicalMessage {}

    record Truncate(List<Integer> relationIds) implements LogicalMessage {}

    /** A message that a transaction wrote into the log itself. */
    record Text(String prefix, String content) implements LogicalMessage {}

    /** Types and origins; nothing depends on them. */
    record Other(char kind) implements LogicalMessage {}
}
