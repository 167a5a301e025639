package io.shardwright.client.feed;

import java.util.Optional;

/** The line grammar of an event stream (WHATWG HTML, 9.2.6), as far as the feed uses it: event, data, id, comments. */
final class ServerSentEvents {
    /** @param id the last id that the stream has given, or null */
    record Event(String name, String data, String id) {}

    private final StringBuilder data = new StringBuilder();
    private String name = "";
    private String id;

    /** An event, when the line ends one. */
    Optional<Event> line(String line) {
        if (line.isEmpty()) {
            return dispatch();
        }
        int colon = line.indexOf(':');
        String field = colon < 0 ? line : line.substring(0, colon);
        String value = colon < 0 ? "" : line.substring(colon + 1);
        if (value.startsWith(" ")) {
            value = value.substring(1);
        }
        switch (field) {
            case "event" -> name = value;
            case "data" -> data.append(value).append('\n');
            case "id" -> id = value;
            default -> {
                // a comment (heartbeat) or a field of a later version
            }
        }
        return Optional.empty();
    }

    private Optional<Event> dispatch() {
        String event = name;
        name = "";
        if (data.length() == 0) {
            return Optional.empty();
        }
        String text = data.substring(0, data.length() - 1);
        data.setLength(0);
        return Optional.of(new Event(event, text, id));
    }
}
