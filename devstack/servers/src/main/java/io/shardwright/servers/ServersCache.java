package io.shardwright.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

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

    /** The entry of that name; {@code filler} makes it when it is absent. */
    static synchronized Path entry(String name, Filler filler) {
        var entry = root().resolve(name);
        if (Files.isDirectory(entry)) {
            return entry;
        }
        try (var channel = FileChannel.open(
                        root().resolve(name + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock held = channel.lock()) {
            if (held.isValid() && !Files.isDirectory(entry)) {
                var filling = Files.createTempDirectory(root(), ".filling-");
                filler.fill(filling);
                Files.move(filling, entry, StandardCopyOption.ATOMIC_MOVE);
            }
            return entry;
        } catch (IOException e) {
            throw new UncheckedIOException("could not fill the cache entry " + entry, e);
        }
    }
}
