package io.shardwright.routing.json;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes plain values as compact JSON with sorted names: equal values give equal texts. */
public final class JsonWriter {
    private final StringBuilder text = new StringBuilder();

    private JsonWriter() {}

    /**
     * @param value Map with String names, List, String, Long, Integer, Boolean or null, nested as wanted
     * @throws IllegalArgumentException for anything else
     */
    public static String write(Object value) {
        JsonWriter writer = new JsonWriter();
        writer.value(value);
        return writer.text.toString();
    }

    private void value(Object value) {
        if (value instanceof Map<?, ?> map) {
            object(map);
        } else if (value instanceof List<?> list) {
            array(list);
        } else if (value instanceof String string) {
            string(string);
        } else if (value == null || value instanceof Boolean || value instanceof Long || value instanceof Integer) {
            text.append(value);
        } else {
            throw new IllegalArgumentException("no JSON value: " + value.getClass());
        }
    }

    private void object(Map<?, ?> map) {
        Map<String, Object> sorted = new TreeMap<>();
        map.forEach((name, value) -> sorted.put((String) name, value));
        text.append('{');
        String separator = "";
        for (Map.Entry<String, Object> member : sorted.entrySet()) {
            text.append(separator);
            string(member.getKey());
            text.append(':');
            value(member.getValue());
            separator = ",";
        }
        text.append('}');
    }

    private void array(List<?> list) {
        text.append('[');
        for (Iterator<?> items = list.iterator(); items.hasNext(); ) {
            value(items.next());
            text.append(items.hasNext() ? "," : "");
        }
        text.append(']');
    }

    private void string(String string) {
        text.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}
