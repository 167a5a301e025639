package io.shardwright.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;

/** Writes kubeconfig files for one API server, one file per user. */
final class Kubeconfigs {
    private final Path directory;
    private final String server;
    private final CertificateAuthority authority;

    Kubeconfigs(Path directory, String server, CertificateAuthority authority) {
        this.directory = directory;
        this.server = server;
        this.authority = authority;
    }

    /** For a person: a client certificate whose common name is the user and whose organisations are the groups. */
    Path forUser(String user, List<String> groups) {
        var issued = authority.client(user, groups);
        return write(user, """
                client-certificate-data: %s
                    client-key-data: %s""".formatted(base64(issued.certificatePem()), base64(issued.keyPem())));
    }

    /** For a process: its token. */
    Path forToken(String name, String token) {
        return write(name, "token: " + token);
    }

    private Path write(String user, String credentials) {
        var text = """
                apiVersion: v1
                kind: Config
                current-context: stage
                clusters:
                - name: stage
                  cluster:
                    server: %s
                    certificate-authority-data: %s
                contexts:
                - name: stage
                  context: {cluster: stage, user: "%s"}
                users:
                - name: "%s"
                  user:
                    %s
                """.formatted(server, base64(authority.certificatePem()), user, user, credentials);
        try {
            var file = directory.resolve(user.replaceAll("[^A-Za-z0-9.-]", "-") + ".kubeconfig");
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
