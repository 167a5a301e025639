package io.shardwright.plugin.intent;

import picocli.CommandLine.Command;

/** See {@link Verb#REVERSE}. */
@Command(
        name = "reverse",
        description = {
            "Switch back what was switched, without a loss and without a copy, while the move soaks.",
            "Needs the role shardwright-operator-user or shardwright-approver."
        },
        footer = {
            "",
            "Examples:",
            "  kubectl shardwright reverse -n shop orders-3f9a1c77-ds-0-ds-4",
            "  kubectl shardwright reverse -n shop orders-3f9a1c77-ds-0-ds-4 --wait --timeout 30m"
        })
public final class ReverseCommand extends IntentCommand {
    public ReverseCommand() {
        super(Verb.REVERSE);
    }
}
