package io.shardwright.controllers.bucketmove;

import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.Bell;
import io.shardwright.controllers.access.ShardAccesses;
import io.shardwright.controllers.report.Announcer;
import io.shardwright.controllers.report.RoomMetrics;
import io.shardwright.controllers.report.StatusWriter;
import io.shardwright.controllers.routers.RouterGates;
import io.shardwright.controllers.routing.TablePublisher;
import io.shardwright.controllers.shardpolicy.PolicyHours;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.dataplane.Movers;
import io.shardwright.dataplane.StepBoundary;
import java.time.Clock;
import java.util.function.LongSupplier;

/** Everything of the kind BucketMove, put together. */
public final class MoveRoom implements AutoCloseable {
    private final MoveNeighbours neighbours;
    private final MoveMemories memories;
    private final BucketMoveReconciler reconciler;

    /** What this kind shares with the others. */
    public record Shared(
            ShardAccesses accesses,
            TablePublisher tables,
            RouterGates gates,
            StatusWriter statuses,
            Announcer announcer,
            PolicyHours hours,
            RoomMetrics metrics,
            StepBoundary boundary,
            Clock clock,
            LongSupplier nanos) {}

    public MoveRoom(Movers movers, Shared shared) {
        Bell<BucketMove> bell = new Bell<>("news-of-move");
        MoveGates gates = new MoveGates(shared.gates(), shared.nanos());
        this.neighbours = new MoveNeighbours(bell, shared.hours(), shared.clock());
        this.memories = new MoveMemories(shared.nanos());
        this.reconciler = new BucketMoveReconciler(
                neighbours,
                new MoveObserver(shared.accesses(), shared.tables(), memories, gates, shared.clock(), shared.nanos()),
                new MoveExecutor(movers, shared.tables(), memories, gates, shared.boundary(), bell::ring),
                new MoveReporter(shared.statuses(), shared.metrics(), shared.clock(), shared.nanos()),
                memories,
                shared.announcer(),
                shared.clock());
    }

    public Reconciler<BucketMove> reconciler() {
        return reconciler;
    }

    /** All moves of a cluster have news: its table, its routers. */
    public void ringAll(ResourceID cluster) {
        neighbours.ringAll(cluster);
    }

    /** Ends all movers of this process; what they have begun in the databases stays for the next ones. */
    @Override
    public void close() {
        memories.close();
    }
}
