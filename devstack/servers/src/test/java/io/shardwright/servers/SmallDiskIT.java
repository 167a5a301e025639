package io.shardwright.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A disk that is full is a real one: the server says so by its SQLSTATE, lives on, and goes on when there is room. */
class SmallDiskIT {
    private static final String WIDE_ROWS =
            "INSERT INTO wide SELECT n, repeat('x', 1000) FROM generate_series(1, 8000) n";

    @Test
    void aTableThatFindsNoRoomIsRefusedUntilTheDiskHasGrown() throws SQLException, IOException {
        var mounted = SmallDisk.ofMegabytes(4);
        assumeThat(mounted).as("only root can mount a disk").isPresent();
        Path path;
        try (var disk = mounted.orElseThrow();
                var server = PostgresServer.builder().name("full").start()) {
            path = disk.path();
            server.runScript("postgres", "CREATE TABLE wide (n int, filler text); CREATE TABLE other (n int)");
            disk.holds(server, "postgres", "little", List.of("wide"));

            try (var connection = server.connect("postgres");
                    var statement = connection.createStatement()) {
                var full = catchThrowableOfType(SQLException.class, () -> statement.execute(WIDE_ROWS));
                assertThat(full.getSQLState()).isEqualTo("53100");
                assertThat(full.getMessage()).contains("No space left on device");
                server.runScript("postgres", "INSERT INTO other VALUES (1)");

                disk.grow(64);

                assertThat(statement.executeUpdate(WIDE_ROWS)).isEqualTo(8000);
            }
        }
        assertThat(Files.readString(Path.of("/proc/mounts"))).doesNotContain(path.toString());
        assertThat(path.getParent()).doesNotExist();
    }
}
