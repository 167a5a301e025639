package io.shardwright.controllers.bucketmove;

import io.shardwright.controllers.routing.PublishedTable;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.planning.moves.MoveObservation;
import java.util.Optional;

/**
 * Everything read of one move in one pass.
 *
 * @param refusal why the spec cannot be obeyed as things are
 * @param task for movers; empty while the move is refused
 * @param mover what the mover of this process says; empty when there is none
 * @param table the published table; empty when there is none
 * @param reading what the table says of this move
 * @param observation what the planner decides on
 */
record SeenMove(
        BucketMove move,
        Optional<ShardCluster> cluster,
        Optional<Refusal> refusal,
        Optional<MoveTask> task,
        Optional<MoverSeat.View> mover,
        Optional<PublishedTable> table,
        Optional<HandoverClock.Reading> reading,
        MoveObservation observation) {

    /** @param message which object is in the way, and what to do */
    record Refusal(Reason reason, String message) {}
}
