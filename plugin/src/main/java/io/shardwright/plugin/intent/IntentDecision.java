package io.shardwright.plugin.intent;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec.Intent;
import io.shardwright.plugin.Phases;
import io.shardwright.plugin.Refusal;

/**
 * Whether a verb makes sense for a move as it stands. Only what would do nothing, or something else than the word says, is
 * refused here; what is dangerous is refused by the API server, which knows better.
 */
final class IntentDecision {
    private IntentDecision() {}

    /**
     * Whether anything is to be written.
     *
     * @param givesUpReversal a reversal that is under way may be given up
     * @return false when the move has that intent already
     * @throws Refusal with what to do instead
     */
    static boolean changes(BucketMove move, Verb verb, boolean givesUpReversal) {
        String name = move.getMetadata().getName();
        if (Phases.hasEnded(move)) {
            throw new Refusal(
                    "BucketMove " + name + " has ended (" + Phases.of(move) + "): there is nothing to " + verb.word(),
                    "to bring its buckets elsewhere, create a new BucketMove");
        }
        if (verb == Verb.RESUME && reverses(move) && !givesUpReversal) {
            throw new Refusal(
                    "BucketMove " + name + " is being switched back ("
                            + move.getStatus().reversal().phase()
                            + "): intent Run would give that up, and what has not gone back would stay on "
                            + move.getSpec().to(),
                    "to go on with the way back: kubectl shardwright reverse " + name
                            + "; to give it up: resume --give-up-reversal");
        }
        return move.getSpec().intent() != verb.intent();
    }

    private static boolean reverses(BucketMove move) {
        return move.getStatus() != null
                && move.getStatus().reversal() != null
                && !Phases.isEnd(move.getStatus().reversal().phase());
    }

    /** The intent that somebody has set since, in words. */
    static Refusal overtaken(BucketMove before, BucketMove now) {
        Intent theirs = now.getSpec().intent();
        return new Refusal(
                "somebody else has set intent " + theirs.wire() + " of BucketMove "
                        + before.getMetadata().getName() + " meanwhile (it was "
                        + before.getSpec().intent().wire() + ")",
                "look at it, and say again what you want: kubectl shardwright moves -n "
                        + before.getMetadata().getNamespace());
    }
}
