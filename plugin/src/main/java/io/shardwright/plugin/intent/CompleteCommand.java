package io.shardwright.plugin.intent;

import picocli.CommandLine.Command;

/** See {@link Verb#COMPLETE}. */
@Command(
        name = "complete",
        description = {
            "End the soak of a move now: its source rows go, and nothing can be taken back any more.",
            "Needs the role shardwright-approver (verb complete)."
        },
        footer = {
            "",
            "Examples:",
            "  kubectl shardwright complete -n shop orders-3f9a1c77-ds-0-ds-4",
            "  kubectl shardwright complete -n shop orders-3f9a1c77-ds-0-ds-4 --wait"
        })
public final class CompleteCommand extends IntentCommand {
    public CompleteCommand() {
        super(Verb.COMPLETE);
    }
}
