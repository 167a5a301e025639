package io.shardwright.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A real file system of a few megabytes, for tables that shall find no room: what a server gets there is the kernel's ENOSPC
 * (SQLSTATE 53100). Only root can mount one.
 *
 * <p>It is closed after the servers that have files on it.
 */
public final class SmallDisk implements AutoCloseable {
    private final WorkDirectory directory;
    private final Path mountPoint;

    private SmallDisk(WorkDirectory directory) throws IOException {
        this.directory = directory;
        mountPoint = Files.createDirectory(directory.resolve("disk"));
    }

    /** An empty disk; nothing where this machine lets nobody mount one. */
    public static Optional<SmallDisk> ofMegabytes(int megabytes) {
        var directory = WorkDirectory.create("small-disk");
        try {
            var disk = new SmallDisk(directory);
            if (disk.mounted(
                    "size=" + megabytes + "m,mode=0700," + Unprivileged.here().mountOwner())) {
                return Optional.of(disk);
            }
            directory.close();
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean mounted(String options) {
        Guardian.watchDisk(mountPoint);
        var mount = run("mount", "-t", "tmpfs", "-o", options, "shardwright-small-disk", mountPoint.toString());
        if (!mount.succeeded()) {
            Guardian.unmounted(mountPoint);
        }
        return mount.succeeded();
    }

    /** Where it is mounted. */
    public Path path() {
        return mountPoint;
    }

    /** Makes the tablespace {@code name} on it, which the tables move to, with their rows. */
    public void holds(PostgresServer server, String database, String name, List<String> tables) {
        server.runScript(database, "CREATE TABLESPACE " + name + " LOCATION '" + mountPoint + "'");
        tables.forEach(table -> server.runScript(database, "ALTER TABLE " + table + " SET TABLESPACE " + name));
    }

    /** Gives it more room, as a person does whose disk is full. */
    public void grow(int megabytes) {
        run("mount", "-o", "remount,size=" + megabytes + "m", mountPoint.toString())
                .orThrow();
    }

    /** @throws IllegalStateException when somebody still has files open on it */
    @Override
    public void close() {
        run("umount", mountPoint.toString()).orThrow();
        Guardian.unmounted(mountPoint);
        directory.close();
    }

    private static CommandResult run(String... command) {
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new CommandResult(String.join(" ", command), process.waitFor(), "", output);
        } catch (IOException e) {
            return new CommandResult(String.join(" ", command), 127, "", e.getMessage()); // there is no such command
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
