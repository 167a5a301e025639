package io.shardwright.controllers.routing;

import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.TableOrder;

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
