package io.shardwright.routing.json;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The members of a JSON object, read by name and type; unknown names are not looked at, so a router reads the documents of
 * a newer operator. Every refusal names the field by its path.
 */
public final class JsonObject {
    private final Map<?, ?> members;
    private final String path;

    private JsonObject(Map<?, ?> members, String path) {
        this.members = members;
        this.path = path;
    }

    /** @throws MalformedDocumentException when the value is no object */
    public static JsonObject of(Object value, String path) {
        if (value instanceof Map<?, ?> map) {
            return new JsonObject(map, path);
        }
        throw new MalformedDocumentException(path + " must be an object");
    }

    public String text(String name) {
        return optionalText(name).orElseThrow(() -> wrong(name, "a string"));
    }

    /** Empty when the member is absent or null. */
    public Optional<String> optionalText(String name) {
        Object value = members.get(name);
        if (value != null && !(value instanceof String)) {
            throw wrong(name, "a string");
        }
        return Optional.ofNullable((String) value);
    }

    /** A number from 0 to 2^53 - 1. */
    public long whole(String name) {
        return optionalWhole(name).orElseThrow(() -> wrong(name, "an integer from 0 to 2^53 - 1"));
    }

    /** Empty when the member is absent or null; else a number from 0 to 2^53 - 1. */
    public Optional<Long> optionalWhole(String name) {
        Object value = members.get(name);
        if (value == null) {
            return Optional.empty();
        }
        if (value instanceof Long number && number >= 0 && number <= JsonNumber.MAX_WHOLE) {
            return Optional.of(number);
        }
        throw wrong(name, "an integer from 0 to 2^53 - 1");
    }

    /** A number from 0 to the limit, which is included. */
    public int whole(String name, int limit) {
        long value = whole(name);
        if (value > limit) {
            throw wrong(name, "at most " + limit);
        }
        return (int) value;
    }

    public boolean truth(String name) {
        if (members.get(name) instanceof Boolean value) {
            return value;
        }
        throw wrong(name, "true or false");
    }

    public JsonObject object(String name) {
        return of(members.get(name), at(name));
    }

    /** Empty when the member is absent or null. */
    public Optional<JsonObject> optionalObject(String name) {
        return members.get(name) == null ? Optional.empty() : Optional.of(object(name));
    }

    /** The objects of a list; an absent list is empty. */
    public List<JsonObject> objects(String name) {
        List<JsonObject> objects = new ArrayList<>();
        for (Object item : list(name)) {
            objects.add(of(item, at(name) + "[" + objects.size() + "]"));
        }
        return objects;
    }

    /** The strings of a list; an absent list is empty. */
    public List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        for (Object item : list(name)) {
            if (!(item instanceof String text)) {
                throw wrong(name, "a list of strings");
            }
            texts.add(text);
        }
        return texts;
    }

    private List<?> list(String name) {
        Object value = members.get(name);
        if (value == null) {
            return List.of();
        }
        if (value instanceof List<?> list) {
            return list;
        }
        throw wrong(name, "a list");
    }

    public List<String> names() {
        return members.keySet().stream().map(String.class::cast).toList();
    }

    private MalformedDocumentException wrong(String name, String wanted) {
        return new MalformedDocumentException(at(name) + " must be " + wanted);
    }

    private String at(String name) {
        return path + "." + name;
    }
}
