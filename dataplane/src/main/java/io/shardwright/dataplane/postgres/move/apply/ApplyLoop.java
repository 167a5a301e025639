package io.shardwright.dataplane.postgres.move.apply;

import io.shardwright.dataplane.postgres.move.stream.LogicalMessage;
import io.shardwright.dataplane.postgres.move.stream.SourceStream;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.Scope;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.postgresql.replication.LogSequenceNumber;

/**
 * The applier: reads the stream, and writes a group whenever nothing more is there to read, or the group is large or old
 * enough. It waits only for the source (in a blocking read) and for the target (in a statement).
 */
final class ApplyLoop {
    private static final int GROUP_TRANSACTIONS = 200;
    private static final int GROUP_BYTES = 1 << 20;
    private static final long GROUP_NANOS = 20_000_000L;

    /** Class of SQLSTATE. */
    private static final String INTEGRITY_VIOLATION = "23";

    private final Incarnation incarnation;
    private final SourceStream stream;
    private final TransactionAssembler assembler;
    private final GroupApplier applier;
    private final DurableConfirmation confirmation;
    private final Pulse pulse;
    private final AtomicReference<Switchpoint> switchpoint = new AtomicReference<>();

    /** Taken out of {@link #switchpoint}: the applier is inside, and may wait there for others. */
    private volatile Switchpoint entered;

    private final List<SourceTransaction> group = new ArrayList<>();
    private long groupBegan;
    private int groupBytes;
    private volatile LogSequenceNumber skipped;

    ApplyLoop(
            Incarnation incarnation,
            SourceStream stream,
            TransactionAssembler assembler,
            GroupApplier applier,
            Pulse pulse)
            throws MoverFault {
        this.incarnation = incarnation;
        this.stream = stream;
        this.assembler = assembler;
        this.applier = applier;
        this.pulse = pulse;
        try {
            confirmation = new DurableConfirmation(
                    applier.connection(), stream, !incarnation.target().standbyNeeded());
        } catch (SQLException e) {
            applier.close();
            throw incarnation.target().fault("open the applier's session", e);
        }
    }

    void await(Switchpoint next) {
        switchpoint.set(next);
    }

    /** Runs until the stream or the target fails. */
    MoverFault run() {
        try {
            while (true) {
                LogicalMessage message = next();
                if (message == null) {
                    flush();
                } else {
                    take(message);
                }
            }
        } catch (MoverFault fault) {
            return fault;
        }
    }

    private LogicalMessage next() throws MoverFault {
        try {
            return group.isEmpty() ? stream.next() : stream.nextIfPending();
        } catch (SQLException e) {
            throw stream.fault(e);
        }
    }

    private void take(LogicalMessage message) throws MoverFault {
        int before = assembler.openBytes();
        SourceTransaction transaction = assembler.add(message);
        if (transaction != null) {
            complete(transaction, before);
        } else if (assembler.openBytes() > GROUP_BYTES) {
            writeEarly();
        }
    }

    private void complete(SourceTransaction transaction, int bytes) throws MoverFault {
        if (transaction.end().asLong() <= applier.position().asLong()) {
            return; // applied before this stream was opened
        }
        transaction.marks().forEach(pulse::arrived);
        Switchpoint awaited = switchpoint.get();
        if (awaited != null && awaited.isMarker(transaction) && enter(awaited)) {
            group.add(transaction);
            switchTo(awaited);
        } else if (transaction.idle() && !applier.inGroup()) {
            skipped = transaction.end(); // goes with the next group, at the latest with the next heartbeat
        } else {
            add(transaction, bytes);
        }
    }

    private void add(SourceTransaction transaction, int bytes) throws MoverFault {
        if (group.isEmpty()) {
            groupBegan = System.nanoTime();
        }
        group.add(transaction);
        groupBytes += bytes;
        boolean full = group.size() >= GROUP_TRANSACTIONS
                || groupBytes >= GROUP_BYTES
                || System.nanoTime() - groupBegan >= GROUP_NANOS
                || applier.inGroup();
        if (full) {
            flush();
        }
    }

    /** Writes what there is of a transaction that would not fit into memory; its group stays open until it commits. */
    private void writeEarly() throws MoverFault {
        if (!group.isEmpty()) {
            flush();
        }
        try {
            TransactionAssembler.Part part = assembler.takePart();
            if (applier.inGroup()) {
                applier.lock(part.scopes());
            } else {
                incarnation.before(MoverStep.APPLY);
                applier.open(applier.position(), part.scopes());
            }
            applier.write(part.changes());
        } catch (SQLException e) {
            throw refused("apply changes", e);
        }
    }

    private void flush() throws MoverFault {
        LogSequenceNumber end = group.getLast().end();
        long began = System.nanoTime();
        long from = applier.position().asLong();
        try {
            if (applier.inGroup()) {
                applier.lock(writtenScopes());
                writeRows();
                applier.advance(end);
            } else {
                incarnation.before(MoverStep.APPLY);
                applier.open(end, writtenScopes());
                writeRows();
            }
            applier.commit();
            incarnation.done(MoverStep.APPLY);
            pulse.samples().applied(end.asLong() - from, System.nanoTime() - began);
            if (switchpoint.get() == null) { // else the marker may come next, and nothing may stand before it
                confirmation.committed(end);
            }
        } catch (SQLException e) {
            throw refused("apply changes", e);
        }
        group.forEach(transaction -> transaction.marks().forEach(pulse::applied));
        empty();
    }

    /** A conflict on the way back is cured by no waiting: the owner goes on, and so the rows here are true no more. */
    private MoverFault refused(String doing, SQLException e) {
        MoverFault fault = incarnation.target().fault(doing, e);
        boolean conflict = String.valueOf(e.getSQLState()).startsWith(INTEGRITY_VIOLATION);
        return conflict && incarnation.task().reversalOf().isPresent()
                ? MoverFault.diverged(fault.getMessage())
                : fault;
    }

    private Set<Scope> writtenScopes() {
        Set<Scope> written = new HashSet<>();
        group.forEach(transaction -> written.addAll(transaction.scopes()));
        return written;
    }

    private void writeRows() throws SQLException, MoverFault {
        List<RowChange> changes = new ArrayList<>();
        group.forEach(transaction -> changes.addAll(transaction.changes()));
        applier.write(changes);
    }

    /** Whoever ends the stream finds it in one place or the other. @return false when nobody awaits it any more */
    private boolean enter(Switchpoint awaited) {
        entered = awaited;
        boolean stillAwaited = switchpoint.compareAndSet(awaited, null);
        if (!stillAwaited) {
            entered = null;
        }
        return stillAwaited;
    }

    private void switchTo(Switchpoint reached) throws MoverFault {
        try {
            reached.reached(applier, group);
        } catch (SQLException e) {
            MoverFault fault = refused("activate", e);
            reached.failed(fault);
            throw fault;
        } catch (MoverFault fault) {
            reached.failed(fault);
            throw fault;
        } catch (RuntimeException | Error e) {
            reached.failed(MoverFault.unexpected(e));
            throw e;
        } finally {
            entered = null;
        }
        group.forEach(transaction -> transaction.marks().forEach(pulse::applied));
        empty();
    }

    private void empty() {
        group.clear();
        groupBytes = 0;
        skipped = null;
    }

    /** Everything up to here is on the target, or concerns it not at all. */
    LogSequenceNumber reached() {
        LogSequenceNumber last = skipped;
        return last == null ? applier.position() : last;
    }

    /** Tells those who wait for something from the stream that it will not come. */
    void fail(MoverFault fault) {
        pulse.fail(fault);
        Switchpoint awaited = switchpoint.getAndSet(null);
        Switchpoint inside = entered; // looked at last: it is set before the other is emptied
        if (awaited != null) {
            awaited.failed(fault);
        }
        if (inside != null) {
            inside.failed(fault);
        }
    }
}
