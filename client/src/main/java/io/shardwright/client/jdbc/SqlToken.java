package io.shardwright.client.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A token of PostgreSQL's lexical structure, as far as classification needs it; comments and white space are dropped.
 *
 * @param text words in upper case, quoted identifiers and punctuation as they are, nothing for literals
 */
record SqlToken(Kind kind, String text) {
    enum Kind {
        WORD,
        QUOTED,
        LITERAL,
        PARAMETER,
        PUNCTUATION
    }

    boolean is(String wanted) {
        return text.equals(wanted) && kind != Kind.QUOTED;
    }

    /** Empty when a quote or comment does not end: nobody knows then what the text says. */
    static Optional<List<SqlToken>> scan(String sql) {
        return new Scanner(sql).scan();
    }

    private static final class Scanner {
        private final String sql;
        private final List<SqlToken> tokens = new ArrayList<>();
        private int at;

        Scanner(String sql) {
            this.sql = sql;
        }

        Optional<List<SqlToken>> scan() {
            while (at >= 0 && at < sql.length()) {
                step(sql.charAt(at));
            }
            return at < 0 ? Optional.empty() : Optional.of(tokens);
        }

        private void step(char c) {
            if (Character.isWhitespace(c)) {
                at++;
            } else if (sql.startsWith("--", at)) {
                int end = sql.indexOf('\n', at);
                at = end < 0 ? sql.length() : end + 1;
            } else if (sql.startsWith("/*", at)) {
                comment();
            } else if (c == '\'') {
                quoted('\'', false, Kind.LITERAL);
            } else if (c == '"') {
                quoted('"', false, Kind.QUOTED);
            } else if (c == '$') {
                dollar();
            } else if (Character.isDigit(c)) {
                number();
            } else if (Character.isLetter(c) || c == '_') {
                word();
            } else if (c == '?') {
                add(Kind.PARAMETER, "?", at + 1);
            } else {
                add(Kind.PUNCTUATION, String.valueOf(c), at + 1);
            }
        }

        private void add(Kind kind, String text, int next) {
            tokens.add(new SqlToken(kind, text));
            at = next;
        }

        private void comment() {
            int depth = 0;
            do {
                if (sql.startsWith("/*", at)) {
                    depth++;
                    at += 2;
                } else if (sql.startsWith("*/", at)) {
                    depth--;
                    at += 2;
                } else {
                    at++;
                }
            } while (depth > 0 && at < sql.length());
            at = depth > 0 ? -1 : at;
        }

        /** From the opening quote; a doubled quote is one character. */
        private void quoted(char quote, boolean backslashes, Kind kind) {
            int start = at + 1;
            for (int i = start; i < sql.length(); i++) {
                char c = sql.charAt(i);
                if (c == '\\' && backslashes) {
                    i++;
                } else if (c == quote && i + 1 < sql.length() && sql.charAt(i + 1) == quote) {
                    i++;
                } else if (c == quote) {
                    add(kind, kind == Kind.QUOTED ? sql.substring(start, i) : "", i + 1);
                    return;
                }
            }
            at = -1;
        }

        /** {@code $tag$ .. $tag$}, or a parameter {@code $1}. */
        private void dollar() {
            int tagEnd = at + 1;
            while (tagEnd < sql.length() && isWordPart(sql.charAt(tagEnd))) {
                tagEnd++;
            }
            if (tagEnd < sql.length() && sql.charAt(tagEnd) == '$' && !startsWithDigit(at + 1)) {
                String tag = sql.substring(at, tagEnd + 1);
                int end = sql.indexOf(tag, tagEnd + 1);
                if (end < 0) {
                    at = -1;
                } else {
                    add(Kind.LITERAL, "", end + tag.length());
                }
            } else {
                add(Kind.PARAMETER, "$", tagEnd);
            }
        }

        private boolean startsWithDigit(int index) {
            return index < sql.length() && Character.isDigit(sql.charAt(index));
        }

        private void number() {
            int end = at;
            while (end < sql.length() && (isWordPart(sql.charAt(end)) || sql.charAt(end) == '.')) {
                end++;
            }
            add(Kind.LITERAL, "", end);
        }

        private void word() {
            int end = at;
            while (end < sql.length() && (isWordPart(sql.charAt(end)) || sql.charAt(end) == '$')) {
                end++;
            }
            String text = sql.substring(at, end).toUpperCase(Locale.ROOT);
            boolean prefix = text.equals("E") || text.equals("B") || text.equals("X") || text.equals("N");
            if (prefix && end < sql.length() && sql.charAt(end) == '\'') {
                at = end;
                quoted('\'', text.equals("E"), Kind.LITERAL);
            } else {
                add(Kind.WORD, text, end);
            }
        }

        private static boolean isWordPart(char c) {
            return Character.isLetterOrDigit(c) || c == '_';
        }
    }
}
