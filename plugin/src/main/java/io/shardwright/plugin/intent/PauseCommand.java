package io.shardwright.plugin.intent;

import picocli.CommandLine.Command;

/** See {@link Verb#PAUSE}. */
@Command(
        name = "pause",
        description = {
            "Begin no further step of a move. What is fenced or decided is finished, and the stream goes on.",
            "Needs the role shardwright-operator-user or shardwright-approver."
        },
        footer = {
            "",
            "Examples:",
            "  kubectl shardwright pause -n shop orders-3f9a1c77-ds-0-ds-4",
            "  kubectl shardwright pause -n shop orders-3f9a1c77-ds-0-ds-4 --wait --timeout 2m"
        })
public final class PauseCommand extends IntentCommand {
    public PauseCommand() {
        super(Verb.PAUSE);
    }
}
