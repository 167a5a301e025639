package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.ShopDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Before rows are deleted nobody may read there who cannot be told that they have moved. */
class DepartedRoutersIT {
    private static final int BUCKET = 21;

    private MovePair pair;
    private MoverDriver mover;

    @BeforeEach
    void aMoveThatHasSwitched() {
        pair = MovePair.upwards();
        long tenant = ShopDatabase.keyIn(BUCKET);
        pair.here.plant("INSERT INTO orders VALUES (%d, 1, 'row')".formatted(tenant));
        MoveTask task = pair.task(BUCKET);
        mover = new MoverDriver(task);
        mover.done(Command.VALIDATE, Command.PREPARE, Command.VERIFY);
        mover.switchEach(task.scopes());
    }

    @AfterEach
    void end() {
        mover.close();
    }

    @Test
    void endsTheSessionsOfRoutersThatAreGoneAndNoOthers() throws SQLException {
        try (Connection gone = named(pair.here.app(), "shardwright-router/gone");
                Connection living = named(pair.here.app(), "shardwright-router/living");
                Connection tool = named(pair.here.app(), "psql")) {
            MoveReport report = mover.cleanUp(Set.of("living"));

            assertThat(report.failure()).isEmpty();
            assertThat(MovePair.rows(pair.here, "orders", BUCKET)).isZero();
            assertThat(gone.isValid(5)).isFalse();
            assertThat(living.isValid(5)).isTrue();
            assertThat(tool.isValid(5)).isTrue();
        }
    }

    @Test
    void deletesNothingWhileASessionOfADepartedRouterCannotBeEnded() throws SQLException {
        try (Connection unending = named(pair.here.superuser(), "shardwright-router/unending");
                Connection gone = named(pair.here.app(), "shardwright-router/gone")) {
            MoveReport report = mover.cleanUp(Set.of("living"));

            assertThat(report.failure().orElseThrow().message())
                    .contains("unending")
                    .doesNotContain("/gone");
            assertThat(MovePair.rows(pair.here, "orders", BUCKET)).isEqualTo(1);
            assertThat(unending.isValid(5)).as("out of the operator's reach").isTrue();
            assertThat(gone.isValid(5)).isFalse();
        }
        assertThat(mover.cleanUp(Set.of("living")).failure()).isEmpty();
        assertThat(MovePair.rows(pair.here, "orders", BUCKET)).isZero();
    }

    private static Connection named(Connection connection, String name) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET application_name = '" + name + "'");
        }
        return connection;
    }
}
