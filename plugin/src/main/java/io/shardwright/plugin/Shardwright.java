package io.shardwright.plugin;

import io.shardwright.plugin.acks.AcksCommand;
import io.shardwright.plugin.explain.ExplainCommand;
import io.shardwright.plugin.intent.AbortCommand;
import io.shardwright.plugin.intent.CompleteCommand;
import io.shardwright.plugin.intent.PauseCommand;
import io.shardwright.plugin.intent.ResumeCommand;
import io.shardwright.plugin.intent.ReverseCommand;
import io.shardwright.plugin.moves.MovesCommand;
import io.shardwright.plugin.plan.PlanCommand;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The plugin: {@code kubectl shardwright}. */
@Command(
        name = "kubectl shardwright",
        description = "Plans, moves and acknowledgements of databases that an application shards itself.",
        subcommands = {
            PlanCommand.class,
            ExplainCommand.class,
            MovesCommand.class,
            AcksCommand.class,
            PauseCommand.class,
            ResumeCommand.class,
            AbortCommand.class,
            ReverseCommand.class,
            CompleteCommand.class,
            CandidatesCommand.class
        },
        footer = {
            "",
            "Exit codes: 0 done, 1 refused or failed, 2 wrong command line, 3 not in time.",
            "kubectl shardwright <command> -h shows examples."
        })
public final class Shardwright implements Runnable {
    @CommandLine.Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this text.")
    private boolean help;

    @Spec
    private CommandSpec spec;

    private final Surroundings surroundings;

    private Shardwright(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    public static void main(String[] args) {
        System.exit(run(List.of(args), Surroundings.ofProcess()));
    }

    /** Runs one command line. @return its exit code */
    public static int run(List<String> arguments, Surroundings here) {
        return commandLine(here).execute(arguments.toArray(String[]::new));
    }

    static CommandLine commandLine(Surroundings here) {
        CommandLine line = new CommandLine(new Shardwright(here));
        line.setOut(here.out());
        line.setErr(here.err());
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpAutoWidth(true);
        line.setExecutionExceptionHandler((failure, command, parsed) -> told(failure, here));
        return line;
    }

    private static int told(Exception failure, Surroundings here) throws Exception {
        if (failure instanceof Refusal refusal) {
            here.err().println("error: " + refusal.getMessage());
            here.err().println("       " + refusal.nextAction());
            here.err().flush();
            return refusal.exitCode();
        }
        throw failure;
    }

    public Surroundings surroundings() {
        return surroundings;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "name a command");
    }
}
