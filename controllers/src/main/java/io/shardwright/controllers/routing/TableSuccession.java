package io.shardwright.controllers.routing;

import io.shardwright.planning.table.LostHistory;
import io.shardwright.planning.table.Witness;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.TableOrder;
import java.util.List;

/** Which order and writer epoch the table after a stored one has. */
final class TableSuccession {
    private TableSuccession() {}

    /**
     * @param stored null when there is none
     * @param wanted content that is wanted
     * @param ours writer epoch of this process, 0 when it has not written yet: then it claims the next one
     * @return the table to store; equal to the stored one when nothing is to be written
     */
    static RoutingTable next(RoutingTable stored, RoutingTable wanted, long ours) {
        if (stored == null) {
            return with(wanted, wanted.order(), 1);
        }
        boolean same = with(wanted, stored.order(), stored.writerEpoch()).equals(stored);
        long revision = stored.order().revision() + (same ? 0 : 1);
        long epoch = ours == stored.writerEpoch() ? ours : stored.writerEpoch() + 1;
        return with(
                wanted,
                new TableOrder(
                        stored.order().incarnation(), revision, stored.order().generation()),
                epoch);
    }

    /**
     * As {@link #next}, in a new incarnation when the history of the stored table was lost; the writer epoch goes on, so that
     * an old leader is still the older one.
     *
     * @param witness heard before the stored table was read
     */
    static RoutingTable anew(RoutingTable stored, RoutingTable wanted, long ours, Witness witness) {
        RoutingTable next = next(stored, wanted, ours);
        return LostHistory.of(List.of(witness), stored.order())
                .map(lost -> with(wanted, lost.next(), next.writerEpoch()))
                .orElse(next);
    }

    private static RoutingTable with(RoutingTable content, TableOrder order, long writerEpoch) {
        return new RoutingTable(
                order,
                writerEpoch,
                content.cluster(),
                content.engine(),
                content.keyType(),
                content.bucketing(),
                content.bucketMap(),
                content.epochs(),
                content.pins(),
                content.handovers(),
                content.shards());
    }
}
