package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;

/** A writer who enters the bucket after the gate was measured, and stays. */
final class EnteringLate implements StepBoundary, AutoCloseable {
    private final Connection app;
    private final long tenant;

    EnteringLate(MovePair pair, long tenant) throws SQLException {
        app = pair.here.app();
        this.tenant = tenant;
    }

    @Override
    public void before(Enum<?> step, UUID moveId) {
        if (step != MoverStep.LOCK_TARGET) {
            return;
        }
        try (Statement statement = app.createStatement()) {
            app.setAutoCommit(false);
            statement.execute("SET application_name = 'slow-web'");
            statement.execute("SELECT shardwright.enter(17, '" + tenant + "', NULL)");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void done(Enum<?> step, UUID moveId) {}

    @Override
    public void close() throws SQLException {
        app.close();
    }
}
