package io.shardwright.stage;

import io.shardwright.servers.Kubectl;
import io.shardwright.servers.OwnedProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** What a failed wait shows: the objects, the events, and the end of every log. */
final class Evidence {
    private static final String KINDS = "shardclusters,shardpolicies,bucketmoves,routingtables,pods";

    private final Kubectl kubectl;
    private final Supplier<List<OwnedProcess>> processes;

    Evidence(Kubectl kubectl, Supplier<List<OwnedProcess>> processes) {
        this.kubectl = kubectl;
        this.processes = processes;
    }

    String text(String namespace) {
        var text = new StringBuilder();
        section(text, "objects", namespace, "get", KINDS, "-o", "wide");
        section(text, "in full", namespace, "get", "shardclusters,shardpolicies,bucketmoves", "-o", "yaml");
        section(text, "events", namespace, "get", "events", "--sort-by=.lastTimestamp");
        processes
                .get()
                .forEach(process ->
                        text.append("--- ").append(process.evidence()).append('\n'));
        return text.toString();
    }

    /** Text, whole logs and the audit log as files, for a person who comes later. */
    void save(Path directory, String namespace, List<Path> logs) {
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve("evidence.txt"), text(namespace));
            for (var log : logs) {
                if (Files.exists(log)) {
                    var name = log.getParent().getFileName() + "-" + log.getFileName();
                    Files.copy(log, directory.resolve(name), StandardCopyOption.REPLACE_EXISTING);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void section(StringBuilder text, String title, String namespace, String... arguments) {
        var words = new ArrayList<>(List.of("--request-timeout=5s", "-n", namespace));
        words.addAll(List.of(arguments));
        var result = kubectl.run(words);
        text.append("--- ").append(title).append('\n').append(result.out()).append(result.err());
    }
}
