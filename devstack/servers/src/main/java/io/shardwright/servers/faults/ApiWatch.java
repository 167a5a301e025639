package io.shardwright.servers.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** A watch that is passed on line by line, until one end or a fault ends it. */
final class ApiWatch {
    private final InputStream fromServer;
    private final OutputStream toClient;
    private boolean ended;

    ApiWatch(InputStream fromServer, OutputStream toClient) {
        this.fromServer = fromServer;
        this.toClient = toClient;
    }

    void pass() throws IOException {
        begin();
        try (var events = new BufferedReader(new InputStreamReader(fromServer, StandardCharsets.UTF_8))) {
            for (var event = events.readLine(); event != null; event = events.readLine()) {
                say(event);
            }
        }
    }

    /** A client takes a watch for begun when it hears something, and a blank before its first event means nothing. */
    private synchronized void begin() throws IOException {
        if (!ended) {
            toClient.write(' ');
            toClient.flush();
        }
    }

    private synchronized void say(String event) throws IOException {
        if (!ended) {
            toClient.write((event + "\n").getBytes(StandardCharsets.UTF_8));
            toClient.flush();
        }
    }

    /** As the server ends it when its time is over: nothing more is said. */
    synchronized void end() throws IOException {
        ended = true;
        toClient.close();
        fromServer.close();
    }

    /** Ends it with the word that the client has to list everything again. */
    synchronized void expire() throws IOException {
        say(Refusal.EXPIRED.event());
        end();
    }
}
