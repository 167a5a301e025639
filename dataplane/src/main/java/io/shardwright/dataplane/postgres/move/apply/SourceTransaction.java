package io.shardwright.dataplane.postgres.move.apply;

import io.shardwright.routing.FenceRow;
import io.shardwright.routing.Scope;
import java.util.List;
import java.util.Set;
import org.postgresql.replication.LogSequenceNumber;

/**
 * One committed transaction of the source, as far as it concerns this move.
 *
 * @param end position behind it
 * @param changes of rows of the set; without those that were taken out of a large transaction before
 * @param scopes whose rows the changes write
 * @param marks of this move's heartbeats
 * @param fences new images of fence rows
 * @param tokens that movers have written into the transaction
 */
public record SourceTransaction(
        LogSequenceNumber end,
        List<RowChange> changes,
        Set<Scope> scopes,
        List<String> marks,
        List<FenceRow> fences,
        List<String> tokens) {
    /** It may be put off: nobody waits for it and it changes nothing here. */
    boolean idle() {
        return changes.isEmpty() && marks.isEmpty() && fences.isEmpty();
    }
}
