package io.shardwright.stage.kubelet;

import io.shardwright.servers.WorkDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The files that a kubelet mounts into a router's pod; a reader sees the old or the new content, never half of it. */
final class MountedFiles {
    private final Path directory;

    MountedFiles(WorkDirectory directory) {
        this.directory = directory.path();
    }

    Path token() {
        return directory.resolve("token");
    }

    Path table() {
        return directory.resolve("table.json");
    }

    Path authority() {
        return directory.resolve("ca.crt");
    }

    void write(Path file, String text) {
        try {
            var fresh = Files.writeString(file.resolveSibling(file.getFileName() + ".fresh"), text);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
