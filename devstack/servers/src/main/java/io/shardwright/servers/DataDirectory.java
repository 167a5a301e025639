package io.shardwright.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The files of one PostgreSQL server: made by {@code initdb}, or copied from a server that runs. */
final class DataDirectory {
    private static final Duration INITDB_LIMIT = Duration.ofSeconds(60);

    private final WorkDirectory directory;
    private final Unprivileged unprivileged;
    private final int port;

    DataDirectory(WorkDirectory directory, Unprivileged unprivileged, int port) {
        this.directory = directory;
        this.unprivileged = unprivileged;
        this.port = port;
    }

    Path path() {
        return directory.resolve("data");
    }

    /** @param certificate of a server that offers TLS; else null */
    void initialise(
            Path initdb,
            String superuser,
            String password,
            Map<String, String> settings,
            CertificateAuthority.Issued certificate) {
        try {
            var passwordFile = Files.writeString(directory.resolve("password"), ScramSecret.of(password));
            run(initdb, superuser, passwordFile);
            Files.delete(passwordFile);
            var all = new LinkedHashMap<>(settings);
            all.put("listen_addresses", "127.0.0.1");
            all.put("unix_socket_directories", "");
            if (certificate != null) {
                all.put("ssl", "on");
                Files.writeString(path().resolve("server.crt"), certificate.certificatePem());
                var key = Files.writeString(path().resolve("server.key"), certificate.keyPem());
                Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
            }
            append(all);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void run(Path initdb, String superuser, Path passwordFile) {
        var command = List.of(
                initdb.toString(),
                "--pgdata=" + path(),
                "--username=" + superuser,
                "--pwfile=" + passwordFile,
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync");
        var process = OwnedProcess.named("initdb in " + directory.path())
                .command(unprivileged.command(command))
                .log(directory.resolve("initdb.log"))
                .start();
        Eventually.until("initdb", INITDB_LIMIT, () -> !process.isAlive(), process::evidence);
        if (process.exitCode().orElseThrow() != 0) {
            throw new IllegalStateException(process.evidence());
        }
    }

    /**
     * Files from which a standby starts. Settings of the primary come with them, but for those that it was given while it ran.
     *
     * @param files of the primary
     * @param streamName {@code application_name} of the standby's stream
     */
    void copyOf(PostgresServer primary, DataDirectory files, String streamName) {
        try {
            new BaseBackup(primary).copy(files.path(), path());
            Files.createFile(path().resolve("standby.signal"));
            var settings = new LinkedHashMap<String, String>();
            settings.put(
                    "primary_conninfo",
                    "host=%s port=%d user=%s password=%s application_name=%s"
                            .formatted(
                                    primary.host(),
                                    primary.port(),
                                    primary.superuser(),
                                    primary.superuserPassword(),
                                    streamName));
            settings.put("wal_retrieve_retry_interval", "100ms");
            append(settings);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The last line of a setting counts. */
    private void append(Map<String, String> settings) throws IOException {
        settings.put("port", Integer.toString(port));
        var lines = settings.entrySet().stream()
                .map(setting -> setting.getKey() + " = '" + setting.getValue().replace("'", "''") + "'")
                .toList();
        Files.write(path().resolve("postgresql.conf"), lines, StandardOpenOption.APPEND);
    }
}
