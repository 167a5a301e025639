package io.shardwright.servers;

import java.io.IOException;
import java.nio.file.CopyOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;

/**
 * A copy of a running server's files from which a standby can start: what {@code pg_basebackup} does, which is not among
 * the embedded binaries.
 */
final class BaseBackup {
    /** Belongs to the running server alone; of directories the contents. */
    private static final Set<String> LEFT_OUT = Set.of(
            "pg_wal",
            "pg_replslot",
            "pg_dynshmem",
            "pg_notify",
            "pg_serial",
            "pg_snapshots",
            "pg_stat_tmp",
            "pg_subtrans",
            "postmaster.pid",
            "postmaster.opts",
            "postgresql.auto.conf");

    private final PostgresServer server;

    BaseBackup(PostgresServer server) {
        this.server = server;
    }

    /** @param from the data directory of the server; @param to does not exist yet */
    void copy(Path from, Path to) throws IOException {
        try (var connection = server.connect("postgres");
                var statement = connection.createStatement()) {
            statement.execute("SELECT pg_backup_start('follower', fast => true)");
            Files.walkFileTree(from, new Copy(from, to, LEFT_OUT));
            Files.writeString(to.resolve("backup_label"), stop(statement));
            Files.walkFileTree(
                    from.resolve("pg_wal"), new Copy(from.resolve("pg_wal"), to.resolve("pg_wal"), Set.of()));
        } catch (SQLException e) {
            throw new IllegalStateException("no base backup of " + server.name() + ": " + e.getMessage(), e);
        }
    }

    /** @return the label, without which the copy would be taken for a crashed server */
    private static String stop(Statement statement) throws SQLException {
        try (ResultSet row =
                statement.executeQuery("SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)")) {
            row.next();
            return row.getString(1);
        }
    }

    private static final class Copy extends SimpleFileVisitor<Path> {
        private static final CopyOption[] AS_IT_IS = {
            StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES
        };

        private final Path from;
        private final Path to;
        private final Set<String> leftOut;

        Copy(Path from, Path to, Set<String> leftOut) {
            this.from = from;
            this.to = to;
            this.leftOut = leftOut;
        }

        private boolean copied(Path path) {
            return !leftOut.contains(from.relativize(path).toString());
        }

        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) throws IOException {
            var made = to.resolve(from.relativize(directory).toString());
            if (!Files.isDirectory(made)) {
                Files.createDirectory(
                        made, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
            return copied(directory) ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            if (copied(file)) {
                try {
                    Files.copy(file, to.resolve(from.relativize(file).toString()), AS_IT_IS);
                } catch (NoSuchFileException gone) {
                    return FileVisitResult.CONTINUE; // the log knows that it has gone
                }
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }
    }
}
