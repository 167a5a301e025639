package io.shardwright.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The number by which PostgreSQL tells one database cluster from another. It stands in two places of a cluster that was shut
 * down: at the beginning of {@code pg_control}, under the checksum of that file, and in the first page header of each log
 * segment. Written as of PostgreSQL 15 to 18; a file that looks otherwise is refused, not guessed at.
 */
final class SystemIdentifier {
    private static final int LONG_HEADER = 2;
    private static final int HEADER_INFO_AT = 2;
    private static final int HEADER_IDENTIFIER_AT = 24;
    private static final int SMALLEST_CONTROL_FILE = 200;

    /** What the server writes and checks of {@code pg_control}; the rest of the file is padding. */
    private static final int LARGEST_CONTROL_FILE = 512;

    private SystemIdentifier() {}

    /** Gives the stopped database cluster a new one. */
    static void renew(Path data) {
        try {
            long next = Instant.now().getEpochSecond() << 32 | Integer.toUnsignedLong(new SecureRandom().nextInt());
            long before = inControlFile(data.resolve("global/pg_control"), next);
            for (Path segment : segments(data.resolve("pg_wal"))) {
                inSegment(segment, before, next);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Path> segments(Path log) throws IOException {
        try (var files = Files.list(log)) {
            return files.filter(file -> file.getFileName().toString().matches("[0-9A-F]{24}"))
                    .toList();
        }
    }

    /** Returns the one that it had. */
    private static long inControlFile(Path file, long next) throws IOException {
        var bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.nativeOrder());
        int checksumAt = checksumAt(bytes, file);
        long before = bytes.getLong(0);
        bytes.putLong(0, next);
        bytes.putInt(checksumAt, checksum(bytes, checksumAt));
        Files.write(file, bytes.array());
        return before;
    }

    /** Right behind the fields, whose number differs between versions: where the checksum of all bytes before it stands. */
    private static int checksumAt(ByteBuffer bytes, Path file) {
        for (int at = SMALLEST_CONTROL_FILE; at < LARGEST_CONTROL_FILE; at += Integer.BYTES) {
            if (bytes.getInt(at) == checksum(bytes, at)) {
                return at;
            }
        }
        throw new IllegalStateException("no checksum in " + file);
    }

    private static int checksum(ByteBuffer bytes, int length) {
        var sum = new CRC32C();
        sum.update(bytes.array(), 0, length);
        return (int) sum.getValue();
    }

    private static void inSegment(Path segment, long before, long next) throws IOException {
        var header = ByteBuffer.allocate(HEADER_IDENTIFIER_AT + Long.BYTES).order(ByteOrder.nativeOrder());
        try (var channel = Files.newByteChannel(segment, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.read(header);
            boolean known = (header.getShort(HEADER_INFO_AT) & LONG_HEADER) != 0
                    && header.getLong(HEADER_IDENTIFIER_AT) == before;
            if (!known) {
                throw new IllegalStateException("no log segment of this database cluster: " + segment);
            }
            header.putLong(HEADER_IDENTIFIER_AT, next);
            channel.position(0);
            channel.write(header.rewind());
        }
    }
}
