package io.shardwright.plugin;

import io.shardwright.crds.Durations;
import io.shardwright.plugin.api.ClusterApi;
import io.shardwright.plugin.api.Connection;
import io.shardwright.plugin.text.Format;
import io.shardwright.plugin.text.View;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** What every command has: where its API server is, in which namespace it looks, and in which form it answers. */
public abstract class Asking {
    @ParentCommand
    private Shardwright parent;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "Namespace to look in; default: that of the context.")
    private String namespace;

    @Option(
            names = "--context",
            paramLabel = "CONTEXT",
            description = "Context of the kubeconfig; default: the current one.")
    private String context;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "Kubeconfig to use; default: KUBECONFIG, else ~/.kube/config.")
    private Path kubeconfig;

    @Option(
            names = "--request-timeout",
            paramLabel = "DURATION",
            defaultValue = "20s",
            description = "Longest wait for one answer of the API server; default: 20s.")
    private String requestTimeout;

    @Option(names = "--as", paramLabel = "USER", description = "Act as this user, if you may impersonate.")
    private String as;

    @Option(names = "--as-group", paramLabel = "GROUP", description = "Act as a member of this group; may be repeated.")
    private List<String> groups = new ArrayList<>();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "json|yaml",
            description = "Answer as JSON or YAML; default: a text for people.")
    private Format format;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this text.")
    private boolean help;

    protected Surroundings here() {
        return parent.surroundings();
    }

    /** To be closed. */
    protected ClusterApi api() {
        return api(Optional.empty());
    }

    /** @param otherwise the namespace to look in when none is named on the command line */
    protected ClusterApi api(Optional<String> otherwise) {
        return Connection.open(new Connection.Choice(
                Optional.ofNullable(kubeconfig),
                Optional.ofNullable(context),
                Optional.ofNullable(namespace).or(() -> otherwise),
                Optional.ofNullable(as),
                groups,
                duration("--request-timeout", requestTimeout)));
    }

    /** @throws Refusal when the text of the option is no duration */
    protected static Duration duration(String option, String text) {
        try {
            return Durations.parse(text);
        } catch (IllegalArgumentException e) {
            throw new Refusal(option + ": " + e.getMessage(), "write it like 90s, 10m or 1h", ExitCode.USAGE);
        }
    }

    protected Optional<String> namespace() {
        return Optional.ofNullable(namespace);
    }

    protected void print(View view) {
        here().out().print(format == null ? view.text() : format.of(view));
        here().out().flush();
    }
}
