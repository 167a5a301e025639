package io.shardwright.plugin;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.plugin.api.ClusterApi;
import io.shardwright.plugin.api.Connection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Unmatched;

/**
 * What the shell may put where the cursor is, in the form that kubectl reads from {@code kubectl_complete-shardwright}: one
 * candidate a line, then a directive. Names come from the API server; when it does not answer there are none, and no error.
 */
@Command(name = "candidates", hidden = true)
final class CandidatesCommand implements Callable<Integer> {
    private static final String NO_FILES = ":4";
    private static final String FILES = ":0";

    @ParentCommand
    private Shardwright parent;

    /** The words so far; the last one, which may be empty, is to be completed. */
    @Unmatched
    private List<String> words = new ArrayList<>();

    @CommandLine.Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        String last = words.isEmpty() ? "" : words.getLast();
        List<String> before = words.isEmpty() ? List.of() : words.subList(0, words.size() - 1);
        boolean file =
                !before.isEmpty() && List.of("-f", "--filename", "--kubeconfig").contains(before.getLast());
        if (!file) {
            candidates(before, last)
                    .filter(word -> word.startsWith(last))
                    .sorted()
                    .forEach(parent.surroundings().out()::println);
        }
        parent.surroundings().out().println(file ? FILES : NO_FILES);
        return ExitCode.DONE;
    }

    private Stream<String> candidates(List<String> before, String last) {
        var commands = spec.parent().subcommands();
        Optional<CommandLine> command =
                before.stream().filter(commands::containsKey).findFirst().map(commands::get);
        if (command.isEmpty()) {
            return commands.entrySet().stream()
                    .filter(entry ->
                            !entry.getValue().getCommandSpec().usageMessage().hidden())
                    .map(java.util.Map.Entry::getKey);
        }
        if (last.startsWith("-")) {
            return command.get().getCommandSpec().options().stream().map(CommandLine.Model.OptionSpec::longestName);
        }
        if (!before.isEmpty() && List.of("-o", "--output").contains(before.getLast())) {
            return Stream.of("json", "yaml");
        }
        return names(command.get().getCommandName(), before);
    }

    private Stream<String> names(String command, List<String> before) {
        boolean ofCluster = !before.isEmpty() && List.of("-c", "--cluster").contains(before.getLast());
        try (ClusterApi api = Connection.open(Connection.Choice.of(
                value(before, "--kubeconfig").map(Path::of),
                value(before, "--context"),
                value(before, "-n").or(() -> value(before, "--namespace"))))) {
            return switch (command) {
                case "plan", "moves", "acks" -> names(api.clusters());
                case "explain" -> ofCluster ? names(api.clusters()) : Stream.empty();
                default -> names(running(api));
            };
        } catch (RuntimeException e) {
            return Stream.empty(); // a shell that waits for a word shows no error
        }
    }

    private static Collection<BucketMove> running(ClusterApi api) {
        return api.moves().stream().filter(move -> !Phases.hasEnded(move)).toList();
    }

    private static Stream<String> names(Collection<? extends HasMetadata> objects) {
        return objects.stream().map(object -> object.getMetadata().getName());
    }

    private static Optional<String> value(List<String> words, String option) {
        int at = words.indexOf(option);
        return at >= 0 && at + 1 < words.size() ? Optional.of(words.get(at + 1)) : Optional.empty();
    }
}
