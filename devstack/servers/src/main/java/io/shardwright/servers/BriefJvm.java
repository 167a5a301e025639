package io.shardwright.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.util.List;

/**
 * How JVMs are started that live for a minute or a few, many of them on few cores: the quick compiler alone, because the better one
 * would cost more than it saves, and the cipher that does without it. Only the better one uses the processor's instructions for
 * AES-GCM ({@code CipherBench} of this room's tests prints what that costs).
 */
public final class BriefJvm {
    private static final String DISABLED = "jdk.tls.disabledAlgorithms";

    /** What servers here would choose before ChaCha20. */
    private static final List<String> AES = List.of(
            "TLS_AES_128_GCM_SHA256",
            "TLS_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384");

    private BriefJvm() {}

    /** Arguments of {@code java}. */
    public static List<String> options() {
        return List.of(
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Djava.security.properties=" + SecurityFile.PATH);
    }

    /** What this JVM does not take, and AES-GCM: nothing that is refused to others is taken here. */
    private static final class SecurityFile {
        static final Path PATH = written();

        private static Path written() {
            try {
                return Files.writeString(
                        WorkDirectory.create("jvm").resolve("security.properties"),
                        DISABLED + "=" + Security.getProperty(DISABLED) + ", " + String.join(", ", AES) + "\n");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
