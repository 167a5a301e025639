package io.shardwright.dataplane.postgres.move.sweep;

import io.shardwright.dataplane.SweepOrder;
import io.shardwright.dataplane.postgres.move.cleanup.RowDeletion;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.throttle.Brake;
import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.TraceRows;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.UUID;

/**
 * One order, step by step. Every step finds this sweep's own token on everything that the move has written down here, or does
 * nothing; the records go last.
 */
final class TraceSweep {
    private final Incarnation incarnation;
    private final SweepOrder order;
    private final UUID move;
    private final String shard;

    TraceSweep(Incarnation incarnation, SweepOrder order) {
        this.incarnation = incarnation;
        this.order = order;
        move = incarnation.moveId();
        shard = "shard " + incarnation.target().shard();
    }

    void run() throws MoverFault {
        incarnation.target().refuseNewerFence();
        refuseWhileRead();
        incarnation.step(MoverStep.CLAIM_TOKEN, this::takeOver);
        if (!order.undone().isEmpty()) {
            incarnation.step(MoverStep.ABORT_TARGET, this::undo);
        }
        if (!order.emptied().isEmpty()) {
            new RowDeletion(
                            incarnation,
                            incarnation.target(),
                            Scope.buckets(order.emptied()),
                            this::isAborted,
                            Brake.NONE)
                    .run(MoverStep.DELETE_TARGET_ROWS, MovedTables.of(incarnation));
        }
        if (order.seen().slot().isPresent()) {
            incarnation.step(MoverStep.DROP_SLOT, this::dropSlot);
        }
        incarnation.step(MoverStep.REMOVE_RECORDS, this::removeRecords);
    }

    /** Before anything is taken from anybody. */
    private void refuseWhileRead() throws MoverFault {
        boolean read = incarnation.target().read("look at the slot", connection -> {
            try (PreparedStatement look =
                    connection.prepareStatement("SELECT FROM pg_replication_slots WHERE slot_name = ? AND active")) {
                look.setString(1, order.seen().slot().orElse(""));
                try (ResultSet row = look.executeQuery()) {
                    return row.next();
                }
            }
        });
        if (read) {
            throw isRead();
        }
    }

    /** Waits for whoever holds one of the rows, for a bounded time; a mover of before finds another token from then on. */
    private Void takeOver() throws MoverFault {
        return incarnation.target().commit("take over what a move has left", connection -> {
            if (!order.seen().tokens().equals(TraceRows.lock(connection, move))) {
                throw changed();
            }
            TraceRows.replaceToken(connection, move, incarnation.token());
            if (!order.emptied().isEmpty()) {
                TraceRows.signable(connection, incarnation);
            }
            return null;
        });
    }

    private Void undo() throws MoverFault {
        return incarnation.target().commit("decide against a move that is gone", connection -> {
            hold(connection);
            for (SweepOrder.Swap swap : order.undone()) {
                if (!FenceRows.swap(connection, swap.from(), swap.to())) {
                    throw changed();
                }
            }
            return null;
        });
    }

    private Void dropSlot() throws MoverFault {
        String slot = order.seen().slot().orElseThrow();
        return incarnation.target().commit("drop slot " + slot, connection -> {
            hold(connection);
            try (PreparedStatement drop =
                    connection.prepareStatement("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots"
                            + " WHERE slot_name = ? AND database = current_database() AND NOT active")) {
                drop.setString(1, slot);
                drop.execute();
            }
            if (isThere(connection, slot)) {
                throw isRead();
            }
            return null;
        });
    }

    private static boolean isThere(Connection connection, String slot) throws SQLException {
        try (PreparedStatement look = connection.prepareStatement(
                "SELECT FROM pg_replication_slots WHERE slot_name = ? AND database = current_database()")) {
            look.setString(1, slot);
            try (ResultSet row = look.executeQuery()) {
                return row.next();
            }
        }
    }

    /** What a record is about must be gone, or never have been: a row of this move that still means something keeps it. */
    private Void removeRecords() throws MoverFault {
        return incarnation.target().commit("remove records", connection -> {
            hold(connection);
            SortedSet<Scope> done = Scope.buckets(order.seen().rows());
            done.removeAll(Scope.buckets(order.kept()));
            SortedMap<Scope, FenceRow> rows = FenceRows.readForShare(connection, done);
            for (FenceRow row : rows.values()) {
                if (move.equals(row.moveId())
                        && (row.state() == FenceState.IMPORTING
                                || row.state() == FenceState.MOVED
                                || row.state() == FenceState.ABORTED
                                        && !order.emptied().contains(row.bucket()))) {
                    throw changed();
                }
            }
            TraceRows.remove(connection, move, done);
            return null;
        });
    }

    /** Locks everything of the move; no other mover has it. */
    private void hold(Connection connection) throws SQLException, MoverFault {
        if (!Set.of(incarnation.token()).containsAll(TraceRows.lock(connection, move))) {
            throw changed();
        }
    }

    private boolean isAborted(FenceRow row) {
        return row.state() == FenceState.ABORTED && move.equals(row.moveId());
    }

    private MoverFault isRead() {
        return MoverFault.blocked(
                shard + ": slot " + order.seen().slot().orElseThrow() + " is being read, so it is not dropped",
                "nothing: it is looked at again");
    }

    private MoverFault changed() {
        return MoverFault.blocked(
                shard + ": what move " + move + " has left is not any more as it was seen, so nothing of it is removed",
                "nothing: it is looked at again");
    }
}
