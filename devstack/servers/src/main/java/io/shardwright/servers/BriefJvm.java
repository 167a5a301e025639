package io.shardwright.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * How JVMs are started that live for a minute or a few, many of them on few cores: the quick compiler alone, because the better one
 * would cost more than it saves, and the cipher that does without it.
 */
public final class BriefJvm {
    private static final String SECURITY = "loopback.security";

    private BriefJvm() {}

    /** Arguments of {@code java}. */
    public static List<String> options() {
        return List.of(
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Djava.security.properties=" + SecurityFile.PATH);
    }

    /** The resource as a file, for the JVMs that are started before this one ends. */
    private static final class SecurityFile {
        static final Path PATH = copied();

        private static Path copied() {
            Path file = WorkDirectory.create("jvm").resolve(SECURITY);
            try (var in = BriefJvm.class.getResourceAsStream(SECURITY)) {
                Files.copy(in, file);
                return file;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
