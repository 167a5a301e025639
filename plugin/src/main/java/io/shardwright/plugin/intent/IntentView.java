package io.shardwright.plugin.intent;

import io.shardwright.plugin.text.View;

/**
 * What a command that acts has done.
 *
 * @param before the intent before, and {@code after} the one that is stored now
 * @param phase of the move when the command ended
 * @param outcome Changed, Unchanged, Reached, Missed or TimedOut
 */
record IntentView(
        String namespace, String name, String before, String after, String phase, String outcome, String message)
        implements View {
    @Override
    public String text() {
        String intent = before.equals(after) ? "intent is " + after + " already" : "intent " + before + " -> " + after;
        return "bucketmove " + name + ": " + intent + " (phase " + phase + "): " + message + "\n";
    }
}
