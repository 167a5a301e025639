package io.shardwright.plugin.intent;

import picocli.CommandLine.Command;

/** See {@link Verb#ABORT}. */
@Command(
        name = "abort",
        description = {
            "Take back what is not switched yet, for good; what is switched stays, and reverse takes it back.",
            "Needs the role shardwright-operator-user or shardwright-approver."
        },
        footer = {
            "",
            "Examples:",
            "  kubectl shardwright abort -n shop orders-3f9a1c77-ds-0-ds-4",
            "  kubectl shardwright abort -n shop orders-3f9a1c77-ds-0-ds-4 --wait"
        })
public final class AbortCommand extends IntentCommand {
    public AbortCommand() {
        super(Verb.ABORT);
    }
}
