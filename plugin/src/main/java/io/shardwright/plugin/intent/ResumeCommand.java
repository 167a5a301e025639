package io.shardwright.plugin.intent;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** See {@link Verb#RESUME}. */
@Command(
        name = "resume",
        description = {
            "Let a move that is paused go on.",
            "A move that is being switched back goes on with reverse; resume would give the way back up.",
            "Needs the role shardwright-operator-user or shardwright-approver."
        },
        footer = {
            "",
            "Examples:",
            "  kubectl shardwright resume -n shop orders-3f9a1c77-ds-0-ds-4",
            "  kubectl shardwright resume -n shop orders-3f9a1c77-ds-0-ds-4 --give-up-reversal"
        })
public final class ResumeCommand extends IntentCommand {
    @Option(
            names = "--give-up-reversal",
            description = "Although the move is being switched back: what has not gone back stays on the new owner.")
    private boolean giveUpReversal;

    public ResumeCommand() {
        super(Verb.RESUME);
    }

    @Override
    boolean givesUpReversal() {
        return giveUpReversal;
    }
}
