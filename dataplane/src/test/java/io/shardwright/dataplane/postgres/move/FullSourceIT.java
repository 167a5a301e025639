package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.servers.PostgresServer.Version;
import io.shardwright.servers.SmallDisk;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A source whose disk is really full when a bucket is fenced: nobody can write there, whatever his login may, until there is room. */
class FullSourceIT {
    private static final int BUCKET = 1;
    private static final String DISK_FULL = "53100";

    @ParameterizedTest
    @EnumSource(Version.class)
    void theTargetGetsItsRowsOnceMoreAndTheSourceIsCleanedUpWhenThereIsRoom(Version version) throws SQLException {
        var mounted = SmallDisk.ofMegabytes(2);
        assumeThat(mounted).as("only root can mount a disk").isPresent();
        try (SmallDisk disk = mounted.orElseThrow();
                ReadOnlySource source = new ReadOnlySource(version)) {
            ShopDatabase here = source.pair.here;
            disk.holds(here.server(), here.name(), "little", List.of("orders", "order_items", "shardwright.claim"));
            MoveTask task = source.fenced(BUCKET);
            source.losesTheLogOf(task);
            fill(here);
            try (MoverDriver mover = new MoverDriver(task)) {
                // the contrast: neither is done, and nothing is decided
                for (Command command : new Command[] {Command.PREPARE, Command.ABORT}) {
                    var failure = mover.run(command).failure().orElseThrow();
                    assertThat(failure.kind()).isEqualTo(Kind.SOURCE_READ_ONLY);
                    assertThat(failure.message()).contains("No space left on device");
                }
                assertThat(source.fences(BUCKET)).isEqualTo("MOVED 2 / IMPORTING 1");

                mover.done(Command.RESYNC);

                assertThat(source.fences(BUCKET)).isEqualTo("MOVED 2 / OWNED 2");
                assertThat(ReadOnlySource.rows(source.pair.there, BUCKET)).isEqualTo(ReadOnlySource.rows(here, BUCKET));
                assertThat(MovePair.rows(source.pair.there, "orders", BUCKET)).isEqualTo(ReadOnlySource.ROWS);

                disk.grow(64);
                mover.done(Command.CLEAN_UP);
            }
            here.plant("DELETE FROM shardwright.claim WHERE token = 'filler'");
            assertThat(MovePair.rows(here, "orders", BUCKET)).isZero();
            source.pair.assertNothingLeft();
        }
    }

    /** To the last page of each table; dead rows are removed first, or they would make room. */
    private static void fill(ShopDatabase database) throws SQLException {
        try (Connection superuser = database.superuser();
                Statement statement = superuser.createStatement()) {
            statement.execute("VACUUM shardwright.claim");
            statement.execute("CREATE TABLE filler (text text) TABLESPACE little");
            untilFull(statement, "INSERT INTO filler SELECT repeat('x', 1000) FROM generate_series(1, 8)");
            untilFull(statement, "INSERT INTO filler VALUES ('x')");
            untilFull(statement, "INSERT INTO shardwright.claim VALUES (gen_random_uuid(), 'filler')");
            untilFull(
                    statement,
                    "INSERT INTO orders VALUES (" + ShopDatabase.keyIn(BUCKET + 1) + ", DEFAULT, repeat('x', 40))");
        }
    }

    private static void untilFull(Statement statement, String sql) {
        SQLException full = catchThrowableOfType(SQLException.class, () -> {
            for (int i = 0; i < 100_000; i++) {
                statement.execute(sql);
            }
        });
        assertThat(full == null ? "there is room still" : full.getSQLState())
                .as(sql)
                .isEqualTo(DISK_FULL);
    }
}
