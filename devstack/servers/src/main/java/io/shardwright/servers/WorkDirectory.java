package io.shardwright.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** A temporary directory that goes when it is closed, and with the JVM at the latest. */
public final class WorkDirectory implements AutoCloseable {
    private final Path path;

    private WorkDirectory(Path path) {
        this.path = path;
        Guardian.watch(path);
    }

    /** A new, empty directory that only this user can read. */
    public static WorkDirectory create(String name) {
        try {
            return new WorkDirectory(Files.createTempDirectory("shardwright-" + name + "-"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Path path() {
        return path;
    }

    public Path resolve(String name) {
        return path.resolve(name);
    }

    @Override
    public void close() {
        try {
            if (Files.exists(path)) {
                Files.walkFileTree(path, new Removal());
            }
            Guardian.removed(path);
        } catch (IOException e) {
            throw new UncheckedIOException("could not remove " + path, e);
        }
    }

    private static final class Removal extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) {
            return FileVisitResult.CONTINUE; // gone meanwhile: what was wanted
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, IOException failure) throws IOException {
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
        }
    }
}
