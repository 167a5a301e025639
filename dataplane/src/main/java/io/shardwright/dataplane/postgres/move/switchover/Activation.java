package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.postgres.move.apply.GroupApplier;
import io.shardwright.dataplane.postgres.move.apply.SourceTransaction;
import io.shardwright.dataplane.postgres.move.apply.Streaming;
import io.shardwright.dataplane.postgres.move.apply.Switchpoint;
import io.shardwright.dataplane.postgres.move.truth.DurableCommit;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.postgresql.replication.LogSequenceNumber;

/**
 * 7d, on the applier's thread: one transaction of the target with the tail, the progress row and the fence rows. It commits
 * only when the stream has brought the marker and the source has answered the fence's commit; the two arrive in any order.
 */
final class Activation implements Switchpoint {
    private static final String SWAP = "UPDATE shardwright.fence f SET state = 'OWNED', epoch = f.epoch + 1, owner = ?"
            + " FROM unnest(?::text[], ?::bigint[]) AS g (scope, epoch)"
            + " WHERE f.scope = g.scope AND f.state = 'IMPORTING' AND f.move_id = ? AND f.epoch = g.epoch";

    private final Incarnation incarnation;
    private final GroupEpochs group;
    private final TargetLock targetLock;
    private final HoldClock clock;
    private final CompletableFuture<Void> fenceAnswered = new CompletableFuture<>();
    private final CompletableFuture<Void> activated = new CompletableFuture<>();

    Activation(Streaming streaming, GroupEpochs group, TargetLock targetLock, HoldClock clock) {
        this.incarnation = streaming.incarnation();
        this.group = group;
        this.targetLock = targetLock;
        this.clock = clock;
    }

    /** The fence is durable on the source: from here on the move may only go forward, or be decided against. */
    void fenceAnswered() {
        fenceAnswered.complete(null);
    }

    /** The fence was not written, or nobody can tell; nothing is activated on its account. */
    void fenceFailed(MoverFault fault) {
        fenceAnswered.completeExceptionally(fault);
        activated.completeExceptionally(fault);
    }

    /** Waits for the end of 7d. */
    void await() throws MoverFault {
        try {
            activated.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof MoverFault fault ? fault : MoverFault.unexpected(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw MoverFault.blocked("the mover was closed", "none");
        }
    }

    @Override
    public boolean isMarker(SourceTransaction transaction) {
        if (!transaction.tokens().contains(incarnation.token())) {
            return false;
        }
        Map<Integer, Long> fenced = new HashMap<>();
        for (FenceRow row : transaction.fences()) {
            if (row.state() == FenceState.MOVED && incarnation.moveId().equals(row.moveId())) {
                fenced.put(row.bucket(), row.epoch());
            }
        }
        return fenced.equals(group.after());
    }

    @Override
    public void reached(GroupApplier applier, List<SourceTransaction> tail) throws SQLException, MoverFault {
        clock.markerSeen();
        incarnation.before(MoverStep.ACTIVATE_TARGET);
        Connection connection = applier.connection();
        try (PreparedStatement swap = connection.prepareStatement("SET LOCAL synchronous_commit = on; " + SWAP)) {
            LogSequenceNumber end = tail.getLast().end();
            applier.open(end);
            for (SourceTransaction transaction : tail) {
                applier.write(transaction.changes());
            }
            bind(swap, connection);
            swap.execute();
            swap.getMoreResults();
            if (swap.getUpdateCount() != group.size()) {
                throw MoverFault.decidedAgainst(group.buckets());
            }
            awaitFence();
            DurableCommit.answered(connection, incarnation.target().shard(), "activate " + group.buckets());
        }
        applier.activated(group.buckets());
        clock.activated();
        confirm(connection);
        incarnation.done(MoverStep.ACTIVATE_TARGET);
        release();
        activated.complete(null);
    }

    private void bind(PreparedStatement swap, Connection connection) throws SQLException {
        swap.setString(1, incarnation.target().shard());
        swap.setArray(2, group.scopes(connection));
        swap.setArray(3, group.epochs(connection));
        swap.setObject(4, incarnation.moveId());
    }

    private void awaitFence() throws MoverFault {
        try {
            fenceAnswered.get();
        } catch (ExecutionException e) {
            throw (MoverFault) e.getCause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw MoverFault.blocked("the mover was closed", "none");
        }
    }

    /** A failover of the target that forgets the activation would leave nobody who owns the buckets. */
    private void confirm(Connection connection) throws SQLException, MoverFault {
        if (!incarnation.task().limits().acceptAsyncStandby()) {
            DurableCommit.confirmed(connection, incarnation.target().shard(), "activate " + group.buckets(), null);
            connection.commit();
        }
    }

    private void release() {
        incarnation.before(MoverStep.RELEASE_TARGET);
        targetLock.release();
        clock.released();
        incarnation.done(MoverStep.RELEASE_TARGET);
    }

    @Override
    public void failed(MoverFault fault) {
        activated.completeExceptionally(fault);
    }
}
