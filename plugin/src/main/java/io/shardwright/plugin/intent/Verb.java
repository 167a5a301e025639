package io.shardwright.plugin.intent;

import io.shardwright.crds.bucketmove.BucketMoveSpec.Intent;

/** What a person can want of a move, in the words of the command line. */
enum Verb {
    PAUSE(
            "pause",
            Intent.PAUSE,
            "no further step begins; what is fenced or decided is finished, and the stream goes on"),
    RESUME("resume", Intent.RUN, "the move goes on"),
    ABORT("abort", Intent.ABORT, "what is not switched yet is taken back, for good"),
    REVERSE("reverse", Intent.REVERSE, "what was switched is switched back to its source, without a loss"),
    COMPLETE("complete", Intent.COMPLETE, "the soak ends now: source rows go, and nothing can be taken back any more");

    private final String word;
    private final Intent intent;
    private final String meaning;

    Verb(String word, Intent intent, String meaning) {
        this.word = word;
        this.intent = intent;
        this.meaning = meaning;
    }

    String word() {
        return word;
    }

    Intent intent() {
        return intent;
    }

    String meaning() {
        return meaning;
    }
}
