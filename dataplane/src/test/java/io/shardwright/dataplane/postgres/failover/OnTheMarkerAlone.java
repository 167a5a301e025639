package io.shardwright.dataplane.postgres.failover;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.move.apply.GroupApplier;
import io.shardwright.dataplane.postgres.move.apply.SourceTransaction;
import io.shardwright.dataplane.postgres.move.apply.StreamStart;
import io.shardwright.dataplane.postgres.move.apply.Streaming;
import io.shardwright.dataplane.postgres.move.apply.Switchpoint;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * A mutant of the mover, made of its own pieces: the stream and the transaction of the target are the shipped ones, and one
 * rule is missing. It activates when the stream brings the marker, whether the source has answered the fence or not.
 */
final class OnTheMarkerAlone implements Switchpoint, AutoCloseable {
    private final Incarnation incarnation;
    private final int bucket;
    private final long epoch;
    private final CompletableFuture<Void> activated = new CompletableFuture<>();
    private final Streaming streaming;

    /** @param task prepared and verified by another mover; of one bucket */
    OnTheMarkerAlone(MoveTask task, long epoch) throws MoverFault {
        this.epoch = epoch;
        bucket = task.scopes().first().bucket();
        incarnation = new Incarnation(task, new PostgresSessions(), StepBoundary.NONE, new SecureRandom());
        ProgressRow progress = incarnation.takeOver();
        StreamStart begin = new StreamStart(progress.position(), task.scopes(), MovedTables.of(incarnation));
        streaming = Streaming.start(incarnation, begin, Streaming.Pace.EAGER, (ended, fault) -> failed(fault));
        streaming.await(this);
    }

    /** The fence as it is shipped: committed by a thread that waits for the answer. */
    CompletableFuture<Void> fence() throws MoverFault, SQLException {
        Connection connection = incarnation.source().open(Duration.ZERO, Duration.ZERO, Duration.ZERO);
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(7001, %d);".formatted(bucket)
                    + "SELECT pg_logical_emit_message(true, '%s', '%s');"
                            .formatted(Incarnation.TOKEN_PREFIX, incarnation.token())
                    + "UPDATE shardwright.fence SET state = 'MOVED', epoch = %d, owner = '%s', move_id = '%s'"
                            .formatted(epoch + 1, incarnation.target().shard(), incarnation.moveId())
                    + " WHERE scope = 'b:%d' AND state = 'OWNED' AND epoch = %d".formatted(bucket, epoch));
        }
        return CompletableFuture.runAsync(() -> {
            try {
                connection.commit();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    CompletableFuture<Void> activated() {
        return activated;
    }

    @Override
    public boolean isMarker(SourceTransaction transaction) {
        return transaction.tokens().contains(incarnation.token())
                && transaction.fences().stream()
                        .anyMatch(row -> row.bucket() == bucket && row.state() == FenceState.MOVED);
    }

    @Override
    public void reached(GroupApplier applier, List<SourceTransaction> tail) throws SQLException, MoverFault {
        applier.openActivation(
                tail.getLast().end(),
                new TreeMap<>(java.util.Map.of(Scope.bucket(bucket), epoch)),
                tail.stream().flatMap(one -> one.scopes().stream()).collect(java.util.stream.Collectors.toSet()));
        applier.write(tail.stream().flatMap(one -> one.changes().stream()).toList());
        applier.commit(); // here the shipped mover waits for the answer to the fence
        applier.activated(Scope.buckets(bucket));
        activated.complete(null);
    }

    @Override
    public void failed(MoverFault fault) {
        activated.completeExceptionally(fault);
    }

    @Override
    public void close() {
        streaming.close();
        incarnation.close();
    }
}
