package io.shardwright.dataplane.postgres.move.copy;

import io.shardwright.dataplane.postgres.move.cleanup.RowDeletion;
import io.shardwright.dataplane.postgres.move.cleanup.SlotRemoval;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.throttle.Brake;
import io.shardwright.dataplane.postgres.move.truth.CleanupRecords;
import io.shardwright.dataplane.postgres.move.truth.Exclusion;
import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;
import io.shardwright.dataplane.postgres.move.truth.SourceClaim;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Step 2 up to the slot, in its fixed order: the token is claimed already; records before objects; IMPORTING before any
 * row; only then leftovers go, each batch under token and fence. Every part may be done again.
 */
public final class Preparation {
    private final Incarnation incarnation;
    private final SortedSet<Scope> scopes;
    private final Brake brake;

    public Preparation(Incarnation incarnation, SortedSet<Scope> scopes, Brake brake) {
        this.incarnation = incarnation;
        this.scopes = scopes;
        this.brake = brake;
    }

    /** From here on no move of a bucket and a key in it begins beside this one. */
    public void enter() throws MoverFault {
        forgetPosition();
        incarnation.step(MoverStep.RECORD_CLEANUP, this::record);
    }

    /** @param epochs of the source's fence; it owns all of them */
    public void run(MovedTables tables, SortedMap<Scope, Long> epochs) throws MoverFault {
        incarnation.step(MoverStep.MARK_IMPORTING, () -> markImporting(tables, epochs));
        new SlotRemoval(incarnation).run();
        new RowDeletion(incarnation, incarnation.target(), scopes, row -> importing(row, epochs), brake)
                .run(MoverStep.DELETE_LEFTOVERS, tables);
    }

    private void forgetPosition() throws MoverFault {
        incarnation.target().commit("forget the position", connection -> {
            ProgressRow.forgetPosition(connection, incarnation);
            return null;
        });
    }

    private Void record() throws MoverFault {
        incarnation.target().commit("write cleanup records", connection -> {
            ProgressRow.lock(connection, incarnation);
            Exclusion.enter(connection, incarnation.target(), incarnation.task());
            CleanupRecords.recordRows(connection, incarnation.moveId(), incarnation.token(), scopes);
            return null;
        });
        Optional<MoverFault> refused = incarnation.source().commit("write cleanup records", this::recordOnSource);
        if (refused.isPresent()) {
            leaveTarget();
            throw refused.get();
        }
        return null;
    }

    private Optional<MoverFault> recordOnSource(Connection connection) throws SQLException, MoverFault {
        SourceClaim.lock(connection, incarnation.moveId(), incarnation.token());
        Optional<MoverFault> other = Exclusion.refusal(connection, incarnation.source(), incarnation.task());
        if (other.isEmpty()) {
            CleanupRecords.recordSlot(connection, incarnation.moveId(), incarnation.token(), incarnation.slot());
            CleanupRecords.recordRows(connection, incarnation.moveId(), incarnation.token(), scopes);
        }
        return other;
    }

    /** Two moves of which each has entered where the other wants to would wait for each other for ever. What is ours already keeps its record. */
    private void leaveTarget() throws MoverFault {
        incarnation.target().commit("remove records", connection -> {
            ProgressRow.lock(connection, incarnation);
            SortedSet<Scope> untouched = new TreeSet<>(scopes);
            FenceRows.readForShare(connection, scopes).values().stream()
                    .filter(row -> incarnation.moveId().equals(row.moveId()))
                    .forEach(row -> untouched.remove(row.scope()));
            CleanupRecords.removeRows(connection, incarnation.moveId(), incarnation.token(), untouched);
            return null;
        });
    }

    private Void markImporting(MovedTables tables, SortedMap<Scope, Long> epochs) throws MoverFault {
        return incarnation.target().commitAtLeisure("mark buckets as importing", connection -> {
            ProgressRow.lock(connection, incarnation);
            new ImportingMark(connection, incarnation, tables).set(epochs);
            return null;
        });
    }

    private boolean importing(FenceRow row, SortedMap<Scope, Long> epochs) {
        return row.state() == FenceState.IMPORTING
                && incarnation.moveId().equals(row.moveId())
                && row.epoch() == epochs.get(row.scope());
    }
}
