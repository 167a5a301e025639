package io.shardwright.operator.feed;

import io.vertx.core.Context;
import io.vertx.core.http.HttpServerResponse;

/**
 * One router's stream. A router that takes slowly gets the newest table once it can take one, never the ones in between. To
 * one that takes nothing nothing is written, so the idle timeout of the server ends its connection. All fields belong to the
 * event loop of the connection.
 */
final class FeedStream {
    private final Context context;
    private final HttpServerResponse response;
    private TableDocument sent;
    private TableDocument waiting;

    /** @param known id of the event that the router has already, or null */
    FeedStream(Context context, HttpServerResponse response, String known, TableDocument newest) {
        this.context = context;
        this.response = response;
        this.sent = newest != null && newest.id().equals(known) ? newest : null;
    }

    /** From any thread. */
    void offer(TableDocument document) {
        context.runOnContext(ignored -> {
            if (isNews(document)) {
                waiting = document;
                flush();
            }
        });
    }

    private boolean isNews(TableDocument document) {
        TableDocument newest = waiting == null ? sent : waiting;
        return newest == null || document.order().compareTo(newest.order()) > 0;
    }

    /** Says that the stream is alive. On the event loop. */
    void beat() {
        if (!response.closed() && !response.ended() && !response.writeQueueFull()) {
            response.write(": \n\n");
        }
    }

    private void flush() {
        if (waiting == null || response.closed() || response.ended()) {
            return;
        }
        if (response.writeQueueFull()) {
            response.drainHandler(ignored -> flush());
            return;
        }
        sent = waiting;
        waiting = null;
        response.write(sent.event());
    }

    /** Ends the stream in order. From any thread. */
    void end() {
        context.runOnContext(ignored -> {
            if (!response.ended() && !response.closed()) {
                response.end();
            }
        });
    }
}
