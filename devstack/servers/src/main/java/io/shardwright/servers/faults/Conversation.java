package io.shardwright.servers.faults;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What has been said in one session: prepared statements, the open transaction, and what the request that is being made
 * would make durable. Requests are told by the thread that reads the client, answers by the one that reads the server.
 */
final class Conversation {
    private final Map<String, Statement> prepared = new HashMap<>();
    private final Map<String, Statement> portals = new HashMap<>();
    private final List<Statement> request = new ArrayList<>();
    private final List<Statement> transaction = new ArrayList<>();

    /** The beginning of the session is the first one. */
    private int requests = 1;

    /** What the requests so far lead to, as long as the server has not answered all of them: a driver sends BEGIN ahead. */
    private boolean open;

    private volatile Ready ready = new Ready(0, false);
    private volatile String applicationName = "";

    /** @param answers requests that were answered */
    private record Ready(int answers, boolean inTransaction) {}

    int requests() {
        return requests;
    }

    int answers() {
        return ready.answers();
    }

    String applicationName() {
        return applicationName;
    }

    /** @return the message ends a request: the server answers, up to and including its readiness for the next one */
    boolean asked(WireMessage message) {
        switch (message.type()) {
            case 'Q' -> request.add(new Statement(message.text()));
            case 'P' -> {
                var texts = message.texts(0, 2);
                prepared.put(texts[0], new Statement(texts[1]));
            }
            case 'B' -> {
                var texts = message.texts(0, 2);
                portals.put(texts[0], prepared.getOrDefault(texts[1], new Statement("")));
            }
            case 'E' -> request.add(portals.getOrDefault(message.text(), new Statement("")));
            default -> {
                return message.type() == 'S';
            }
        }
        return message.type() == 'Q';
    }

    /** @return what the request that has just ended would make durable, in words */
    Optional<String> effect() {
        var effect = Optional.<String>empty();
        var last = ready;
        if (last.answers() == requests) {
            open = last.inTransaction();
        }
        requests++;
        for (var statement : request) {
            if (statement.begins()) {
                open = true;
                transaction.clear();
            } else if (statement.commits()) {
                if (open) {
                    effect = effect.or(this::written);
                }
                open = false;
            } else if (statement.rollsBack()) {
                open = false;
            } else if (statement.acts() || !open && statement.writes() && !statement.isCopy()) {
                effect = effect.or(() -> Optional.of(statement.shown()));
            }
            if (open) {
                transaction.add(statement);
            }
        }
        request.clear();
        return effect;
    }

    /** Empty when nothing was. */
    private Optional<String> written() {
        var writes = transaction.stream()
                .filter(Statement::writes)
                .map(Statement::shown)
                .distinct()
                .toList();
        return writes.isEmpty() ? Optional.empty() : Optional.of("COMMIT of " + String.join("; ", writes));
    }

    /** @return the server is ready for the next request */
    boolean answered(WireMessage message) {
        if (message.type() == 'Z') {
            ready = new Ready(ready.answers() + 1, message.body()[0] != 'I');
            return true;
        }
        if (message.type() == 'S') {
            var texts = message.texts(0, 2);
            if (texts[0].equals("application_name")) {
                applicationName = texts[1];
            }
        }
        return false;
    }
}
