package io.shardwright.plugin.plan;

import io.shardwright.plugin.Asking;
import io.shardwright.plugin.ExitCode;
import io.shardwright.plugin.Refusal;
import io.shardwright.plugin.api.ClusterApi;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kubectl shardwright plan}. */
@Command(
        name = "plan",
        description = {
            "Show the exact plan, with the hash that the operator computes, by the same planner.",
            "It is of the stored objects, or with -f of what they would be when a file was applied. Nothing is written.",
            "A file is taken as the whole of what is wanted; all of its rules are checked by kubectl apply --dry-run=server."
        },
        footer = {
            "",
            "Examples:",
            "  kubectl shardwright plan -n shop",
            "  kubectl shardwright plan orders -n shop -f five-shards.yaml",
            "  kubectl kustomize shop | kubectl shardwright plan -f - -o json"
        })
public final class PlanCommand extends Asking implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "CLUSTER",
            description = "Name of the ShardCluster; default: that of the file, else the only one.")
    private String cluster;

    @Option(
            names = {"-f", "--filename"},
            paramLabel = "FILE",
            description =
                    "A ShardCluster or a ShardPolicy, or both, that might be applied; - reads it from the standard input.")
    private String file;

    @Override
    public Integer call() {
        Manifest manifest = file == null ? Manifest.NONE : Manifest.parse(read());
        try (ClusterApi api = api(namespaceOf(manifest))) {
            String name = name(api, manifest);
            print(PlanReading.view(
                    new Stored(
                            api.namespace(),
                            name,
                            api.storedCluster(name),
                            api.policies(),
                            api.table(name),
                            api.moves(name)),
                    manifest));
            return ExitCode.DONE;
        }
    }

    private String read() {
        try {
            return file.equals("-")
                    ? new String(here().in().readAllBytes(), StandardCharsets.UTF_8)
                    : Files.readString(Path.of(file));
        } catch (IOException e) {
            throw new Refusal(
                    "-f: " + file + " cannot be read", "name a file, or - for the standard input", ExitCode.USAGE);
        }
    }

    /** Where kubectl apply would put the objects. */
    private Optional<String> namespaceOf(Manifest manifest) {
        List<String> written = Stream.concat(manifest.clusters().stream(), manifest.policies().stream())
                .map(object -> object.getMetadata().getNamespace())
                .filter(java.util.Objects::nonNull)
                .distinct()
                .toList();
        if (written.size() > 1) {
            throw new Refusal("-f: the file names the namespaces " + String.join(", ", written), "plan one at a time");
        }
        Optional<String> only = written.stream().findFirst();
        if (only.isPresent()
                && namespace().filter(asked -> !asked.equals(only.get())).isPresent()) {
            throw new Refusal(
                    "-f: the file says namespace " + only.get() + ", and -n says "
                            + namespace().get(),
                    "leave one of them out",
                    ExitCode.USAGE);
        }
        return only;
    }

    private String name(ClusterApi api, Manifest manifest) {
        TreeSet<String> written = Stream.concat(
                        manifest.clusters().stream()
                                .map(one -> one.getMetadata().getName()),
                        manifest.policies().stream()
                                .map(one -> one.getSpec().clusterRef())
                                .filter(java.util.Objects::nonNull)
                                .map(ref -> ref.name()))
                .collect(Collectors.toCollection(TreeSet::new));
        if (cluster != null && !written.isEmpty() && !written.contains(cluster)) {
            throw new Refusal(
                    "-f: the file says nothing of ShardCluster " + cluster,
                    "it is about " + String.join(", ", written),
                    ExitCode.USAGE);
        }
        if (cluster == null && written.size() > 1) {
            throw new Refusal(
                    "-f: the file is about several ShardClusters",
                    "name one of them: " + String.join(", ", written),
                    ExitCode.USAGE);
        }
        return cluster == null && !written.isEmpty()
                ? written.first()
                : api.cluster(Optional.ofNullable(cluster)).getMetadata().getName();
    }
}
