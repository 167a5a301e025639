package io.shardwright.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Where unpacked and built binaries are kept between runs: {@code SHARDWRIGHT_CACHE}, else
 * {@code $XDG_CACHE_HOME/shardwright}, else {@code ~/.cache/shardwright}.
 *
 * <p>An entry is complete or absent: it is filled beside its place and renamed. Two JVMs that need the same entry at the
 * same time wait for each other.
 */
public final class ServersCache {
    private ServersCache() {}

    /** Fills an empty directory. */
    @FunctionalInterface
    interface Filler {
        void fill(Path directory) throws IOException;
    }

    /** The cache's directory, created when it is missing. */
    public static Path root() {
        try {
            return Files.createDirectories(configuredRoot());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path configuredRoot() {
        var own = System.getenv("SHARDWRIGHT_CACHE");
        if (own != null && !own.isBlank()) {
            return Path.of(own);
        }
        var xdg = System.getenv("XDG_CACHE_HOME");
        var caches = xdg != null && !xdg.isBlank() ? Path.of(xdg) : Path.of(System.getProperty("user.home"), ".cache");
        return caches.resolve("shardwright");
    }

    /** The entry of that name under {@code root}; {@code filler} makes it when it is absent. Everybody may read it. */
    static synchronized Path entry(Path root, String name, Filler filler) {
        var entry = root.resolve(name);
        if (Files.isDirectory(entry)) {
            return entry;
        }
        try {
            Files.createDirectories(root);
            fill(entry, filler);
            return entry;
        } catch (IOException e) {
            throw new UncheckedIOException("could not fill the cache entry " + entry, e);
        }
    }

    private static void fill(Path entry, Filler filler) throws IOException {
        var lock = entry.resolveSibling(entry.getFileName() + ".lock");
        try (var channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock held = channel.lock()) {
            if (held.isValid() && !Files.isDirectory(entry)) {
                var filling = Files.createTempDirectory(entry.getParent(), ".filling-");
                filler.fill(filling);
                Files.setPosixFilePermissions(filling, PosixFilePermissions.fromString("rwxr-xr-x"));
                Files.move(filling, entry, StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }
}
