package io.shardwright.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;

/** The files of one PostgreSQL server: a copy of what {@code initdb} made, or of a server that runs. */
final class DataDirectory {
    private final WorkDirectory directory;
    private final int port;

    DataDirectory(WorkDirectory directory, int port) {
        this.directory = directory;
        this.port = port;
    }

    Path path() {
        return directory.resolve("data");
    }

    /** @param certificate of a server that offers TLS; else null */
    void initialise(ClusterTemplate template, Map<String, String> settings, CertificateAuthority.Issued certificate) {
        try {
            template.copyTo(path());
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
