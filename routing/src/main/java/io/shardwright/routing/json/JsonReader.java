package io.shardwright.routing.json;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads one JSON text (RFC 8259) into plain values: {@code Map<String, Object>} (sorted), {@code List<Object>}, String,
 * Long (integers), BigDecimal (other numbers), Boolean, null.
 */
public final class JsonReader {
    private static final int MAX_DEPTH = 32;
    private static final int MAX_NUMBER_LENGTH = 40;

    private final String text;
    private int at;

    private JsonReader(String text) {
        this.text = text;
    }

    /** @throws MalformedDocumentException with the position of the fault */
    public static Object read(String text) {
        JsonReader reader = new JsonReader(text);
        Object value = reader.value(0);
        reader.skipBlanks();
        if (reader.at < text.length()) {
            throw reader.fault("text after the end of the document");
        }
        return value;
    }

    /** @throws MalformedDocumentException when the text is no JSON object */
    public static JsonObject readObject(String text) {
        return JsonObject.of(read(text), "document");
    }

    private Object value(int depth) {
        if (depth > MAX_DEPTH) {
            throw fault("nested deeper than " + MAX_DEPTH);
        }
        skipBlanks();
        return switch (peek()) {
            case '{' -> object(depth);
            case '[' -> array(depth);
            case '"' -> string();
            case 't' -> word("true", Boolean.TRUE);
            case 'f' -> word("false", Boolean.FALSE);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> members = new TreeMap<>();
        expect('{');
        if (closes('}')) {
            return members;
        }
        do {
            skipBlanks();
            String name = string();
            skipBlanks();
            expect(':');
            Object value = value(depth + 1);
            if (members.containsKey(name)) {
                throw fault("the name '" + name + "' stands twice");
            }
            members.put(name, value);
        } while (continues('}'));
        return members;
    }

    private List<Object> array(int depth) {
        List<Object> items = new ArrayList<>();
        expect('[');
        if (closes(']')) {
            return items;
        }
        do {
            items.add(value(depth + 1));
        } while (continues(']'));
        return items;
    }

    private boolean closes(char end) {
        skipBlanks();
        if (peek() != end) {
            return false;
        }
        at++;
        return true;
    }

    private boolean continues(char end) {
        if (closes(end)) {
            return false;
        }
        expect(',');
        return true;
    }

    private String string() {
        expect('"');
        StringBuilder value = new StringBuilder();
        for (char c = next(); c != '"'; c = next()) {
            if (c < ' ') {
                throw fault("a control character inside a string");
            }
            value.append(c == '\\' ? escaped() : c);
        }
        return value.toString();
    }

    private char escaped() {
        char c = next();
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw fault("an unknown escape");
        };
    }

    private char unicode() {
        int unit = 0;
        for (int i = 0; i < 4; i++) {
            char c = next();
            int digit = c < 128 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                throw fault("a \\u escape needs four hexadecimal digits");
            }
            unit = unit << 4 | digit;
        }
        return (char) unit;
    }

    private Object number() {
        int from = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String digits = text.substring(from, at);
        if (digits.length() > MAX_NUMBER_LENGTH || !JsonNumber.isNumber(digits)) {
            at = from;
            throw fault("no JSON value");
        }
        return JsonNumber.isWhole(digits) ? whole(digits) : new BigDecimal(digits);
    }

    private Long whole(String digits) {
        try {
            return Long.valueOf(digits);
        } catch (NumberFormatException outOfRange) {
            throw new MalformedDocumentException("the number " + digits + " is out of range", outOfRange);
        }
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw fault("no JSON value");
        }
        at += word.length();
        return value;
    }

    private void expect(char wanted) {
        if (peek() != wanted) {
            throw fault("'" + wanted + "' expected");
        }
        at++;
    }

    private char next() {
        char c = peek();
        at++;
        return c;
    }

    private char peek() {
        if (at >= text.length()) {
            throw fault("the text ends early");
        }
        return text.charAt(at);
    }

    private void skipBlanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private MalformedDocumentException fault(String what) {
        return new MalformedDocumentException("no valid JSON at character " + at + ": " + what);
    }
}
