package io.shardwright.client.table;

import io.shardwright.routing.TableDigest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * The last good table on disk, so that a router starts while operator and API server are away. A first line with a
 * checksum, then the document. Replaced as a whole (temporary file, fsync, rename), so a crash leaves the old or the new
 * one; a file that does not match its checksum is as good as none.
 */
public final class LastKnownFile {
    private static final System.Logger LOG = System.getLogger(LastKnownFile.class.getName());
    private static final String HEAD = "shardwright-table 1 sha256 ";

    private final Path path;

    public LastKnownFile(Path path) {
        this.path = path.toAbsolutePath();
    }

    /** Empty when there is no file, or none that can be trusted. */
    public Optional<String> read() {
        if (!Files.exists(path)) {
            return Optional.empty();
        }
        try {
            Optional<String> document = decode(Files.readString(path));
            if (document.isEmpty()) {
                LOG.log(System.Logger.Level.WARNING, "{0} does not match its checksum and is not used", path);
            }
            return document;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, path + " cannot be read", e);
            return Optional.empty();
        }
    }

    /** Durable when it returns; a failure is logged and costs nothing but the next cold start. */
    void write(String document) {
        Path next = path.resolveSibling(path.getFileName() + ".next");
        try {
            Files.createDirectories(path.getParent());
            try (FileChannel file = FileChannel.open(
                    next, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
                ByteBuffer bytes = StandardCharsets.UTF_8.encode(encode(document));
                while (bytes.hasRemaining()) {
                    file.write(bytes);
                }
                file.force(true);
            }
            Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            try (FileChannel directory = FileChannel.open(path.getParent(), StandardOpenOption.READ)) {
                directory.force(true);
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, path + " cannot be written", e);
        }
    }

    static String encode(String document) {
        return HEAD + TableDigest.of(document) + "\n" + document;
    }

    static Optional<String> decode(String content) {
        int end = content.indexOf('\n');
        if (end < 0) {
            return Optional.empty();
        }
        String document = content.substring(end + 1);
        return content.substring(0, end).equals(HEAD + TableDigest.of(document))
                ? Optional.of(document)
                : Optional.empty();
    }
}
