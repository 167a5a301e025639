package io.shardwright.stage;

import io.shardwright.servers.Kubectl;
import io.shardwright.servers.OwnedProcess;
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

    private void section(StringBuilder text, String title, String namespace, String... arguments) {
        var words = new java.util.ArrayList<>(List.of("--request-timeout=5s", "-n", namespace));
        words.addAll(List.of(arguments));
        var result = kubectl.run(words);
        text.append("--- ").append(title).append('\n').append(result.out()).append(result.err());
    }
}
