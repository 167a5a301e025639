package io.shardwright.plugin;

import io.shardwright.plugin.api.ClusterApi;
import io.shardwright.plugin.api.Connection;
import io.shardwright.plugin.text.Format;
import io.shardwright.plugin.text.View;
import java.nio.file.Path;
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
        return Connection.open(
                Optional.ofNullable(kubeconfig),
                Optional.ofNullable(context),
                Optional.ofNullable(namespace).or(() -> otherwise));
    }

    protected Optional<String> namespace() {
        return Optional.ofNullable(namespace);
    }

    protected void print(View view) {
        here().out().print(format == null ? view.text() : format.of(view));
        here().out().flush();
    }
}
