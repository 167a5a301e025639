package io.shardwright.client.table;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/**
 * A table that the kubelet keeps in a file ({@code table.json} of a ConfigMap mounted as a directory; with {@code subPath} it
 * never changes). Read again when the file behind the links is another one.
 */
public final class MountedFile {
    private static final System.Logger LOG = System.getLogger(MountedFile.class.getName());

    private final Path path;
    private Version seen;

    private record Version(Path real, Object key, long modified, long size) {}

    public MountedFile(Path path) {
        this.path = path;
    }

    /** The document, when it has changed since the last call. */
    public Optional<String> poll() {
        try {
            if (!Files.exists(path)) {
                return Optional.empty();
            }
            Path real = path.toRealPath();
            BasicFileAttributes now = Files.readAttributes(real, BasicFileAttributes.class);
            Version version =
                    new Version(real, now.fileKey(), now.lastModifiedTime().toMillis(), now.size());
            if (version.equals(seen)) {
                return Optional.empty();
            }
            String document = Files.readString(real).strip();
            seen = version;
            return Optional.of(document);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, path + " cannot be read", e);
            return Optional.empty();
        }
    }
}
