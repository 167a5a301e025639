package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.postgres.move.apply.GroupApplier;
import io.shardwright.dataplane.postgres.move.apply.SourceTransaction;
import io.shardwright.dataplane.postgres.move.apply.Streaming;
import io.shardwright.dataplane.postgres.move.apply.Switchpoint;
import io.shardwright.dataplane.postgres.move.truth.DurableCommit;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.Standbys;
import io.shardwright.dataplane.postgres.move.truth.WritableRows;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.postgresql.replication.LogSequenceNumber;

/**
 * 7d, on the applier's thread: one transaction of the target with the tail, the progress row and the fence rows. It commits
 * only when the stream has brought the marker and the source has answered the fence's commit; the two arrive in any order.
 */
final class Activation implements Switchpoint {
    private final Incarnation incarnation;
    private final GroupEpochs group;
    private final TargetLock targetLock;
    private final HoldClock clock;
    private final CompletableFuture<Standbys> fenceAnswered = new CompletableFuture<>();
    private final CompletableFuture<Void> activated = new CompletableFuture<>();

    Activation(Streaming streaming, GroupEpochs group, TargetLock targetLock, HoldClock clock) {
        this.incarnation = streaming.incarnation();
        this.group = group;
        this.targetLock = targetLock;
        this.clock = clock;
    }

    /** The fence's commit was answered without a warning. @param standbys of the source, read after the answer */
    void fenceAnswered(Standbys standbys) {
        fenceAnswered.complete(standbys);
    }

    /** It cannot happen any more: the stream or the target has failed. */
    boolean failed() {
        return activated.isCompletedExceptionally();
    }

    /** Waits for the end of 7d. */
    void await() throws MoverFault {
        try {
            activated.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof MoverFault fault ? fault : MoverFault.unexpected(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw MoverFault.closed();
        }
    }

    @Override
    public boolean isMarker(SourceTransaction transaction) {
        if (!transaction.tokens().contains(incarnation.token())) {
            return false;
        }
        Map<Scope, Long> fenced = new HashMap<>();
        for (FenceRow row : transaction.fences()) {
            if (row.state() == FenceState.MOVED && incarnation.moveId().equals(row.moveId())) {
                fenced.put(row.scope(), row.epoch());
            }
        }
        return fenced.equals(group.after());
    }

    @Override
    public void reached(GroupApplier applier, List<SourceTransaction> tail) throws SQLException, MoverFault {
        clock.markerSeen();
        incarnation.before(MoverStep.ACTIVATE_TARGET);
        Connection connection = applier.connection();
        Set<Scope> written = tail.stream().flatMap(one -> one.scopes().stream()).collect(Collectors.toSet());
        if (applier.openActivation(tail.getLast().end(), group.before(), written) != group.size()) {
            throw WritableRows.lost(connection, incarnation, group.scopes());
        }
        applier.write(tail.stream()
                .flatMap(transaction -> transaction.changes().stream())
                .toList());
        awaitFence(tail.getLast().end());
        DurableCommit.answered(connection, incarnation.target().shard(), "activate " + group.scopes());
        applier.activated(group.scopes());
        clock.activated();
        confirm(connection);
        incarnation.done(MoverStep.ACTIVATE_TARGET);
        release();
        activated.complete(null);
    }

    /** Until the fence is durable on the source: answered, and on a standby where there is one. */
    private void awaitFence(LogSequenceNumber marker) throws MoverFault {
        try {
            Standbys standbys = fenceAnswered.get();
            if (!incarnation.task().limits().acceptAsyncStandby()) {
                DurableCommit.require(standbys, marker, incarnation.source().shard(), "fence " + group.scopes());
            }
        } catch (ExecutionException e) {
            throw (MoverFault) e.getCause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw MoverFault.closed();
        }
    }

    /** A failover of the target that forgets the activation would leave nobody who owns the buckets. */
    private void confirm(Connection connection) throws SQLException, MoverFault {
        if (targetLock.standbysMatter()) {
            DurableCommit.confirmed(connection, incarnation.target(), "activate " + group.scopes());
        }
    }

    private void release() {
        incarnation.before(MoverStep.RELEASE_TARGET);
        targetLock.release();
        clock.released();
        incarnation.done(MoverStep.RELEASE_TARGET);
    }

    /** Nothing is activated any more: the stream ends, or the fence was not written, or nobody can tell. */
    @Override
    public void failed(MoverFault fault) {
        fenceAnswered.completeExceptionally(fault);
        activated.completeExceptionally(fault);
    }
}
