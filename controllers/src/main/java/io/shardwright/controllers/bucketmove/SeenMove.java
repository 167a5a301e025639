package io.shardwright.controllers.bucketmove;

import io.shardwright.controllers.routing.PublishedTable;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.planning.moves.MoveObservation;
import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Everything read of one move in one pass. A pass is about one leg: the way back while a reversal is under way, else the way
 * there.
 *
 * @param refusal why the spec cannot be obeyed as things are
 * @param task for movers of the way there, from which that of the way back follows; empty while the move is refused
 * @param mover what this process's mover of the leg says; empty when there is none
 * @param attempts to switch so far, of both legs and of earlier movers
 * @param table the published table; empty when there is none
 * @param reading what the table says of this leg
 * @param observation what the planner decides on
 */
record SeenMove(
        BucketMove move,
        Optional<ShardCluster> cluster,
        Optional<Refusal> refusal,
        Optional<MoveTask> task,
        Optional<MoverSeat.View> mover,
        int attempts,
        Optional<PublishedTable> table,
        Optional<HandoverClock.Reading> reading,
        MoveObservation observation) {

    /** @param message which object is in the way, and what to do */
    record Refusal(Reason reason, String message) {}

    Leg leg() {
        return observation.task().leg();
    }

    /** The phase of the move when its leg is at this one: while it is switched back it says so, unless somebody must act. */
    MovePhase phase(MovePhase ofLeg) {
        boolean ownWord = leg() == Leg.THERE || ofLeg == MovePhase.BLOCKED || ofLeg == MovePhase.PAUSED;
        return ownWord ? ofLeg : MovePhase.REVERSING;
    }

    /** The buckets that the shard of {@code spec.to} owns, and no other; empty while the fence rows are unread. */
    Optional<SortedSet<Scope>> arrived() {
        return observation.truth().map(truth -> {
            SortedSet<Scope> arrived = owned(ofTo(truth));
            arrived.removeAll(owned(ofFrom(truth)));
            return arrived;
        });
    }

    /**
     * The shard of {@code spec.from} owns all, and that of {@code spec.to} nothing. Two owners, no owner and rows that are unread
     * are something else.
     */
    boolean isAllAtHome() {
        return observation
                .truth()
                .filter(truth -> owned(ofTo(truth)).isEmpty()
                        && owned(ofFrom(truth)).containsAll(observation.task().scopes()))
                .isPresent();
    }

    private SortedMap<Scope, FenceRow> ofFrom(MoveObservation.Truth truth) {
        return leg() == Leg.THERE ? truth.source() : truth.target();
    }

    private SortedMap<Scope, FenceRow> ofTo(MoveObservation.Truth truth) {
        return leg() == Leg.THERE ? truth.target() : truth.source();
    }

    private static SortedSet<Scope> owned(SortedMap<Scope, FenceRow> rows) {
        SortedSet<Scope> owned = new TreeSet<>(rows.keySet());
        owned.removeIf(scope -> rows.get(scope).state() != FenceState.OWNED);
        return owned;
    }
}
