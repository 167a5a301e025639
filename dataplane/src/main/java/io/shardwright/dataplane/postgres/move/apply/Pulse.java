package io.shardwright.dataplane.postgres.move.apply;

import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.ScopeHolders;
import io.shardwright.dataplane.postgres.move.truth.Side;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Heartbeats: small synchronous commits on the source that come back in the stream. They measure what a switch will cost
 * (commit on either side, and the hop through the log), and serve as markers: when one has been applied, everything
 * before it has been applied.
 */
public final class Pulse {
    private final Incarnation incarnation;
    private final TouchedKeys touched;
    private final Connection source;
    private final Connection target;
    private final PreparedStatement sourceBeat;
    private final PreparedStatement targetBeat;
    private final Map<String, Beat> awaited = new ConcurrentHashMap<>();
    private final Samples samples = new Samples();
    private final AtomicReference<MoverFault> ended = new AtomicReference<>();
    private long count;

    /** @param answered when the commit was answered, 0 before */
    private static final class Beat {
        private volatile long answered;
        private volatile long arrived;
        private final CompletableFuture<Void> applied = new CompletableFuture<>();
    }

    Pulse(Incarnation incarnation, TouchedKeys touched) throws MoverFault {
        this.incarnation = incarnation;
        this.touched = touched;
        source = open(incarnation.source());
        try {
            target = open(incarnation.target());
            sourceBeat = prepare(source, ", pg_snapshot_xmin(pg_current_snapshot())::text::bigint");
            targetBeat = prepare(target, "");
        } catch (MoverFault e) {
            incarnation.source().end(source);
            throw e;
        } catch (SQLException e) {
            close();
            throw incarnation.source().fault("prepare heartbeats", e);
        }
    }

    private static Connection open(Side side) throws MoverFault {
        Connection connection = side.open(Duration.ofSeconds(20), Duration.ofSeconds(10), Duration.ofSeconds(5));
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET synchronous_commit = on");
            return connection;
        } catch (SQLException e) {
            side.end(connection);
            throw side.fault("prepare heartbeats", e);
        }
    }

    private static PreparedStatement prepare(Connection connection, String more) throws SQLException {
        return connection.prepareStatement(
                "INSERT INTO shardwright.heartbeat AS h (move_id, beat, mark) VALUES (?, 1, ?)"
                        + " ON CONFLICT (move_id) DO UPDATE SET beat = h.beat + 1, mark = excluded.mark RETURNING beat"
                        + more);
    }

    public Samples samples() {
        return samples;
    }

    /** One commit on each side, measured, and a look at who holds the scope. */
    public synchronized void beat() throws MoverFault {
        commitOnSource();
        try {
            samples.transactionAge(
                    ScopeHolders.oldestMs(source, incarnation.task().scopes()));
        } catch (SQLException e) {
            throw incarnation.source().fault("look at open transactions", e);
        }
        try {
            long began = System.nanoTime();
            commit(targetBeat, "target");
            samples.targetCommit(System.nanoTime() - began);
        } catch (SQLException e) {
            throw incarnation.target().fault("write a heartbeat", e);
        }
    }

    /** Commits a marker on the source and waits until the target has it. */
    public void awaitMarker(Duration limit) throws MoverFault {
        if (!markerArrives(limit)) {
            throw MoverFault.blocked(
                    "the stream is more than " + limit.toSeconds() + " s behind",
                    "nothing while it catches up; else look at the load of both shards");
        }
    }

    /** As {@link #awaitMarker}. @return false when the limit passed before the target had it */
    public boolean markerArrives(Duration limit) throws MoverFault {
        Beat beat;
        synchronized (this) {
            beat = commitOnSource();
        }
        try {
            beat.applied.get(limit.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof MoverFault fault ? fault : MoverFault.unexpected(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw MoverFault.closed();
        }
    }

    private Beat commitOnSource() throws MoverFault {
        String mark = incarnation.token() + ":" + ++count;
        Beat beat = new Beat();
        awaited.put(mark, beat);
        if (ended.get() != null) { // nobody will bring it back
            throw ended.get();
        }
        try {
            long began = System.nanoTime();
            long xmin = commit(sourceBeat, mark);
            beat.answered = System.nanoTime();
            samples.sourceCommit(beat.answered - began);
            touched.forgetBefore(xmin);
            hop(beat);
            return beat;
        } catch (SQLException e) {
            awaited.remove(mark);
            throw whyEnded(incarnation.source().fault("write a heartbeat", e));
        }
    }

    /** Sessions that are gone because the stream has ended say less than its own fault. */
    private MoverFault whyEnded(MoverFault seen) {
        MoverFault first = ended.get();
        return first == null ? seen : first;
    }

    private long commit(PreparedStatement statement, String mark) throws SQLException {
        statement.setObject(1, incarnation.moveId());
        statement.setString(2, mark);
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getMetaData().getColumnCount() > 1 ? row.getLong(2) : 0;
        }
    }

    /** The stream has brought the mark; it may do so before the commit is answered. */
    void arrived(String mark) {
        Beat beat = awaited.get(mark);
        if (beat != null) {
            beat.arrived = System.nanoTime();
            hop(beat);
        }
    }

    /** Both ends of the hop are known once the second of them is written. */
    private void hop(Beat beat) {
        synchronized (beat) {
            if (beat.answered != 0 && beat.arrived != 0) {
                samples.hop(Math.max(0, beat.arrived - beat.answered));
                beat.arrived = 0;
            }
        }
    }

    void applied(String mark) {
        Beat beat = awaited.remove(mark);
        if (beat != null) {
            beat.applied.complete(null);
        }
    }

    void fail(MoverFault fault) {
        ended.compareAndSet(null, fault);
        awaited.values().forEach(beat -> beat.applied.completeExceptionally(fault));
    }

    void close() {
        incarnation.source().end(source);
        incarnation.target().end(target);
        fail(MoverFault.closed());
    }
}
