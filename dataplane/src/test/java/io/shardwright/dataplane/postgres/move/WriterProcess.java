package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.servers.BriefJvm;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.OwnedProcess;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A process of its own that writes into a bucket as a router does, and stays in its transaction, asking on and on, until it
 * is told to commit. It can be stopped as a process in the middle of it (SIGSTOP).
 */
final class WriterProcess implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String INSIDE = "inside";
    private static final String COMMITTED = "committed";

    private final OwnedProcess process;
    private final Path directory;

    private WriterProcess(OwnedProcess process, Path directory) {
        this.process = process;
        this.directory = directory;
    }

    /** @param words URL, bucket, tenant, id of its row, and the file that tells it to commit */
    public static void main(String[] words) throws SQLException {
        try (Connection app = DriverManager.getConnection(words[0], "shop_app", ShopDatabase.APP_PASSWORD);
                Statement statement = app.createStatement()) {
            app.setAutoCommit(false);
            statement.execute("SELECT shardwright.enter(" + words[1] + ", '" + words[2] + "', NULL)");
            statement.execute("INSERT INTO orders VALUES (" + words[2] + ", " + words[3] + ", 'of the process')");
            System.out.println(INSIDE);
            while (!Files.exists(Path.of(words[4]))) {
                statement.execute("SELECT count(*) FROM orders WHERE tenant_id = " + words[2]);
            }
            app.commit();
            System.out.println(COMMITTED);
        }
    }

    /** Returns when it is inside. @param name application name of its session */
    static WriterProcess inside(ShopDatabase shop, String name, int bucket, long id) {
        try {
            Path directory = Files.createTempDirectory("writer");
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(BriefJvm.options());
            command.addAll(List.of(
                    "-cp",
                    classPath(),
                    WriterProcess.class.getName(),
                    shop.server().url(shop.name()) + "?ApplicationName=" + name,
                    Integer.toString(bucket),
                    Long.toString(ShopDatabase.keyIn(bucket)),
                    Long.toString(id),
                    directory.resolve("commit").toString()));
            OwnedProcess process = OwnedProcess.named(name)
                    .command(command)
                    .log(directory.resolve("log"))
                    .start();
            var writer = new WriterProcess(process, directory);
            writer.awaitWord(INSIDE);
            return writer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Under surefire the plain property names a jar; the real path is kept beside. */
    private static String classPath() {
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return Arrays.stream(path.split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private void awaitWord(String word) {
        Eventually.until(
                "the process to say " + word,
                LIMIT,
                () -> process.tail(1).contains(word)
                        || !process.isAlive() && process.exitCode().orElseThrow() != 0,
                process::evidence);
        if (!process.tail(1).contains(word)) {
            throw new AssertionError(process.evidence());
        }
    }

    /** SIGSTOP: its session stays, with its transaction and its locks. */
    void freeze() {
        process.freeze();
    }

    /** It goes on, and commits. */
    void thawAndCommit() throws IOException {
        Files.createFile(directory.resolve("commit"));
        process.thaw();
        awaitWord(COMMITTED);
    }

    @Override
    public void close() {
        process.close();
        try {
            for (String file : new String[] {"commit", "log", ""}) {
                Files.deleteIfExists(directory.resolve(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
