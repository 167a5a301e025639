package io.shardwright.servers;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * Finds {@code initdb} and {@code postgres}: the directory that {@code PG_BIN} names, else the archive of that version among
 * this room's resources, unpacked once into the cache.
 */
final class PostgresBinaries {
    private PostgresBinaries() {}

    /** The {@code bin} directory. */
    static Path directory(PostgresServer.Version version, Path cache) {
        var installed = System.getenv("PG_BIN");
        if (installed != null && !installed.isBlank()) {
            return Path.of(installed);
        }
        var name = version.name().toLowerCase(Locale.ROOT);
        var archive = "postgres/" + name + "/postgres-" + system() + "-" + machine() + ".txz";
        var entry = ServersCache.entry(cache, "postgres-" + version.number(), directory -> {
            try (var in = PostgresBinaries.class.getResourceAsStream(archive)) {
                if (in == null) {
                    throw new IOException("no PostgreSQL binaries for this machine (" + archive
                            + "): set PG_BIN to the directory of an installed initdb and postgres");
                }
                unpack(in, directory);
            }
        });
        return entry.resolve("bin");
    }

    private static void unpack(InputStream archive, Path directory) throws IOException {
        try (var tar = new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(archive)))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                var path = directory.resolve(entry.getName()).normalize();
                if (!path.startsWith(directory)) {
                    throw new IOException("an entry outside of its archive: " + entry.getName());
                }
                unpack(tar, entry, path);
            }
        }
    }

    private static void unpack(TarArchiveInputStream tar, TarArchiveEntry entry, Path path) throws IOException {
        if (entry.isDirectory()) {
            Files.createDirectories(path);
            return;
        }
        Files.createDirectories(path.getParent());
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
        } else {
            Files.copy(tar, path);
            if ((entry.getMode() & 0100) != 0 && !path.toFile().setExecutable(true, false)) {
                throw new IOException("could not make it executable: " + path);
            }
        }
    }

    private static String system() {
        return System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
    }

    private static String machine() {
        return switch (System.getProperty("os.arch")) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64" -> "arm_64";
            default -> System.getProperty("os.arch");
        };
    }
}
