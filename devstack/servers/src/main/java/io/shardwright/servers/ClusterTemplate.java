package io.shardwright.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * What {@code initdb} makes, kept in the cache for the next servers: it takes a second or two of CPU, a copy a moment. Each copy
 * gets a system identifier of its own ({@link SystemIdentifier}), as after an {@code initdb} of its own; the superuser's password is the
 * same in all copies, made up when the template was.
 */
final class ClusterTemplate {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Path directory;
    private final Unprivileged unprivileged;

    private ClusterTemplate(Path directory, Unprivileged unprivileged) {
        this.directory = directory;
        this.unprivileged = unprivileged;
    }

    /** The template of these binaries, made when it is asked for the first time on this machine. */
    static ClusterTemplate of(Path binaries, Unprivileged unprivileged, Path cache, String superuser) {
        Path initdb = binaries.resolve("initdb");
        var entry = ServersCache.entry(
                cache, "cluster-" + identity(initdb), filling -> initialise(initdb, unprivileged, filling, superuser));
        return new ClusterTemplate(entry, unprivileged);
    }

    /** Other binaries have another path, or were written at another time. */
    private static String identity(Path initdb) {
        try {
            var written = Files.getLastModifiedTime(initdb).toMillis();
            var text = initdb.toRealPath() + " " + Files.size(initdb) + " " + written;
            return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).toString();
        } catch (IOException e) {
            throw new UncheckedIOException("there is no initdb in " + initdb.getParent(), e);
        }
    }

    private static void initialise(Path initdb, Unprivileged unprivileged, Path filling, String superuser)
            throws IOException {
        var password = UUID.randomUUID().toString();
        Files.writeString(filling.resolve("password"), password);
        var hashed = Files.writeString(filling.resolve("hashed"), ScramSecret.of(password));
        run(
                "initdb",
                unprivileged.command(List.of(
                        initdb.toString(),
                        "--pgdata=" + filling.resolve("data"),
                        "--username=" + superuser,
                        "--pwfile=" + hashed,
                        "--auth=scram-sha-256",
                        "--encoding=UTF8",
                        "--locale=C",
                        "--no-sync")),
                filling);
        Files.delete(hashed);
    }

    private static void run(String name, List<String> command, Path directory) {
        var process = OwnedProcess.named(name + " in " + directory)
                .command(command)
                .log(directory.resolve(name + ".log"))
                .start();
        Eventually.until(name, LIMIT, () -> !process.isAlive(), process::evidence);
        if (process.exitCode().orElseThrow() != 0) {
            throw new IllegalStateException(process.evidence());
        }
    }

    String password() {
        try {
            return Files.readString(directory.resolve("password"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Copies it, as the user that the server will be, and makes it a database cluster of its own. */
    void copyTo(Path data) {
        var source = directory.resolve("data");
        run("cp", unprivileged.command(List.of("cp", "-R", source.toString(), data.toString())), data.getParent());
        SystemIdentifier.renew(data);
    }
}
