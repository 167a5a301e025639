package io.shardwright.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.shardwright.servers.PostgresServer.StopMode;
import io.shardwright.servers.PostgresServer.Version;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PostgresServerIT {
    @ParameterizedTest
    @EnumSource
    void startsEachVersionReadyForLogicalReplication(Version version) {
        try (var server = PostgresServer.builder()
                .version(version)
                .setting("max_prepared_transactions", "7")
                .start()) {
            server.createDatabase("shop");
            server.runScript("shop", "CREATE TABLE t (i int); INSERT INTO t VALUES (1), (2)");

            assertThat(server.query("shop", "SELECT sum(i) FROM t")).containsExactly(List.of("3"));
            assertThat(show(server, "server_version"))
                    .startsWith(version.number().split("\\.")[0] + ".");
            assertThat(show(server, "wal_level")).isEqualTo("logical");
            assertThat(show(server, "max_prepared_transactions")).isEqualTo("7");
            assertThat(show(server, "fsync")).isEqualTo("off");
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyServerHasASystemIdentifierOfItsOwnAndKeepsItOverACrash(Version version) {
        try (var one = PostgresServer.builder().version(version).start();
                var other = PostgresServer.builder().version(version).start()) {
            var identifier = identifier(one);
            one.runScript("postgres", "CREATE TABLE t (i int); INSERT INTO t VALUES (1)");
            one.stop(StopMode.IMMEDIATE);
            one.start();

            assertThat(identifier(one)).isEqualTo(identifier).isNotEqualTo(identifier(other));
            assertThat(one.query("postgres", "SELECT count(*) FROM t")).containsExactly(List.of("1"));
        }
    }

    private static String identifier(PostgresServer server) {
        return server.query("postgres", "SELECT system_identifier FROM pg_control_system()")
                .get(0)
                .get(0);
    }

    @Test
    void lastsThroughARestartAndThroughACrash() {
        try (var server = PostgresServer.builder().durable().start()) {
            server.runScript("postgres", "CREATE TABLE t (i int); INSERT INTO t VALUES (1)");
            var port = server.port();

            server.restart();
            server.runScript("postgres", "INSERT INTO t VALUES (2)");
            server.stop(StopMode.IMMEDIATE);
            assertThat(server.isRunning()).isFalse();
            server.start();

            assertThat(server.port()).isEqualTo(port);
            assertThat(server.query("postgres", "SELECT count(*) FROM t")).containsExactly(List.of("2"));
            assertThat(show(server, "fsync")).isEqualTo("on");
        }
    }

    @Test
    void freezesBackendsTooAndGoesOnAfterwards() throws Exception {
        try (var server = PostgresServer.builder().start();
                var connection = server.connect("postgres")) {
            server.freeze();
            var answer = CompletableFuture.supplyAsync(() -> answers(connection));
            assertThatThrownBy(() -> answer.get(300, TimeUnit.MILLISECONDS))
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);

            server.thaw();

            assertThat(answer.get(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void asksForThePasswordAndOffersTheCertificateItWasGiven() throws Exception {
        var authority = CertificateAuthority.create("test");
        try (var server =
                        PostgresServer.builder().tls(authority.loopbackServer()).start();
                var files = WorkDirectory.create("trust")) {
            assertThatThrownBy(() -> server.connect("postgres", server.superuser(), "wrong"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"));
            var trusted = Files.writeString(files.resolve("ca.crt"), authority.certificatePem());
            var other = Files.writeString(
                    files.resolve("other.crt"),
                    CertificateAuthority.create("other").certificatePem());
            var verified = server.superuserUrl("postgres") + "&sslmode=verify-full&sslrootcert=";

            DriverManager.getConnection(verified + trusted).close();

            assertThatThrownBy(() -> DriverManager.getConnection(verified + other))
                    .isInstanceOf(SQLException.class);
        }
    }

    @Test
    void runsForRootWhereUserNamespacesAreForbidden() throws Exception {
        assumeThat(System.getProperty("user.name")).as("needs root").isEqualTo("root");
        try (var everybodys = WorkDirectory.create("everybodys")) {
            Files.setPosixFilePermissions(everybodys.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
            try (var server = PostgresServer.builder()
                    .unprivileged(Unprivileged.NOBODY, everybodys.path())
                    .start()) {
                server.freeze();
                server.thaw();

                assertThat(server.query("postgres", "SELECT 1")).containsExactly(List.of("1"));
            }
        }
    }

    @Test
    void leavesNeitherProcessNorDirectoryBehind() {
        var server = PostgresServer.builder().start();
        var process = server.process().orElseThrow();
        var backends =
                ProcessHandle.of(process.pid()).orElseThrow().descendants().toList();
        var directory = server.log().getParent();

        server.close();

        assertThat(process.isAlive()).isFalse();
        Eventually.until(
                "the backends to end",
                Duration.ofSeconds(30),
                () -> backends.stream().noneMatch(ProcessHandle::isAlive),
                backends::toString);
        assertThat(directory).doesNotExist();
    }

    private static boolean answers(java.sql.Connection connection) {
        try {
            return connection.isValid(60);
        } catch (SQLException e) {
            return false;
        }
    }

    private static String show(PostgresServer server, String setting) {
        return server.query("postgres", "SHOW " + setting).get(0).get(0);
    }
}
