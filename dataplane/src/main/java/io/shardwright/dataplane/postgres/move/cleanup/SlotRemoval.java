package io.shardwright.dataplane.postgres.move.cleanup;

import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.SourceClaim;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * Drops the replication slot of a move on the source; ends whoever still streams from it first. Under the claim, because
 * the slot has the same name for every mover of the move: a frozen one must not drop its successor's.
 */
public final class SlotRemoval {
    /** Ends the walsender and waits for its end inside the server, so that nobody polls. */
    private static final String RELEASE = "SELECT pg_terminate_backend(active_pid, 10000) FROM pg_replication_slots"
            + " WHERE slot_name = ? AND active_pid IS NOT NULL";

    private static final String DROP =
            "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = ?";

    private final Incarnation incarnation;

    public SlotRemoval(Incarnation incarnation) {
        this.incarnation = incarnation;
    }

    public void run() throws MoverFault {
        incarnation.step(
                MoverStep.DROP_SLOT,
                () -> incarnation.source().commit("drop slot " + incarnation.slot(), connection -> {
                    SourceClaim.lock(connection, incarnation.moveId(), incarnation.token());
                    for (String sql : List.of(RELEASE, DROP)) {
                        execute(connection, sql);
                    }
                    return null;
                }));
    }

    private void execute(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, incarnation.slot());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
            }
        }
    }
}
