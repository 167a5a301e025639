package io.shardwright.client.jdbc;

import io.shardwright.client.jdbc.SqlToken.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Tells the class of a statement from its tokens. Wrong in one direction only: a read taken for a write costs an
 * {@code enter} that travels along; the other way round it would cost a fence.
 */
final class Classifier {
    private static final int CACHED = 10_000;

    private static final Set<String> QUERIES = Set.of("SELECT", "VALUES", "TABLE", "WITH", "SHOW", "EXPLAIN", "(");
    private static final Set<String> CONTROLS = Set.of("BEGIN", "START", "COMMIT", "END", "ABORT", "ROLLBACK");

    /** What after SET ends with the transaction. */
    private static final Set<String> TRANSACTION_SETTINGS = Set.of("LOCAL", "TRANSACTION", "CONSTRAINTS");

    /** A query with one of these writes, locks, or runs what it explains. */
    private static final Set<String> WRITING =
            Set.of("INSERT", "UPDATE", "DELETE", "MERGE", "INTO", "SHARE", "ANALYZE", "ANALYSE");

    /** Words that may stand before a parenthesis without calling anything. */
    private static final Set<String> SYNTAX = Set.of(
            ("SELECT FROM WHERE AND OR NOT IN EXISTS ANY ALL SOME AS ON USING VALUES HAVING BY WHEN THEN ELSE CASE"
                            + " DISTINCT UNION INTERSECT EXCEPT OVER FILTER WITH JOIN LATERAL BETWEEN LIKE IS ARRAY ROW LIMIT"
                            + " OFFSET VARCHAR CHAR NUMERIC DECIMAL EXPLAIN MATERIALIZED SETS ROLLUP CUBE INTERVAL")
                    .split(" "));

    /** Functions of PostgreSQL that write nothing and take no lock. */
    private static final Set<String> HARMLESS = Set.of(
            ("COUNT SUM MIN MAX AVG COALESCE NULLIF GREATEST LEAST LOWER UPPER LENGTH SUBSTRING SUBSTR TRIM BTRIM"
                            + " LTRIM RTRIM CONCAT REPLACE POSITION LEFT RIGHT ABS ROUND FLOOR CEIL CEILING MOD POWER SQRT CAST"
                            + " NOW EXTRACT DATE_TRUNC DATE_PART TO_CHAR TO_DATE TO_TIMESTAMP AGE MD5 STRING_AGG ARRAY_AGG"
                            + " JSON_AGG JSONB_AGG JSON_BUILD_OBJECT JSONB_BUILD_OBJECT BOOL_AND BOOL_OR ROW_NUMBER RANK"
                            + " DENSE_RANK LAG LEAD FIRST_VALUE LAST_VALUE UNNEST GENERATE_SERIES CARDINALITY VERSION")
                    .split(" "));

    private static final Set<String> CONSTANTS = Set.of("NULL", "TRUE", "FALSE", "DEFAULT", "(", ")", ",", "+", "-");

    private final Map<String, StatementClass> known = new ConcurrentHashMap<>();

    StatementClass classify(String sql) {
        StatementClass before = known.get(sql);
        if (before != null) {
            return before;
        }
        if (known.size() >= CACHED) {
            known.clear();
        }
        StatementClass found = SqlToken.scan(sql).map(Classifier::classify).orElse(StatementClass.WRITE);
        known.put(sql, found);
        return found;
    }

    /** The class of statements that run as one batch: the most careful one. */
    StatementClass classifyBatch(List<String> batch) {
        List<StatementClass> classes = batch.stream().map(this::classify).toList();
        if (classes.contains(StatementClass.CONTROL)) {
            return StatementClass.CONTROL;
        }
        if (classes.contains(StatementClass.SESSION_SETTING)) {
            return StatementClass.SESSION_SETTING;
        }
        boolean plain = classes.stream().allMatch(StatementClass.PLAIN_INSERT::equals);
        return plain ? StatementClass.PLAIN_INSERT : StatementClass.WRITE;
    }

    private static StatementClass classify(List<SqlToken> tokens) {
        List<List<SqlToken>> statements = split(tokens);
        if (statements.isEmpty()) {
            return StatementClass.WRITE;
        }
        if (statements.size() == 1) {
            return single(statements.get(0));
        }
        if (statements.get(0).get(0).is("CREATE")) {
            return StatementClass.WRITE; // the body of a function may have semicolons
        }
        List<StatementClass> classes =
                statements.stream().map(Classifier::single).toList();
        return Stream.of(StatementClass.CONTROL, StatementClass.SESSION_SETTING, StatementClass.PROCEDURE)
                .filter(classes::contains)
                .findFirst()
                .orElse(StatementClass.WRITE);
    }

    private static List<List<SqlToken>> split(List<SqlToken> tokens) {
        List<List<SqlToken>> statements = new ArrayList<>();
        List<SqlToken> statement = new ArrayList<>();
        for (SqlToken token : tokens) {
            if (!token.is(";")) {
                statement.add(token);
            } else if (!statement.isEmpty()) {
                statements.add(statement);
                statement = new ArrayList<>();
            }
        }
        if (!statement.isEmpty()) {
            statements.add(statement);
        }
        return statements;
    }

    private static StatementClass single(List<SqlToken> tokens) {
        SqlToken first = tokens.get(0);
        if (first.kind() == Kind.QUOTED) {
            return StatementClass.WRITE;
        }
        String word = first.text();
        if (CONTROLS.contains(word) || isTwoPhase(tokens)) {
            return StatementClass.CONTROL;
        }
        if (QUERIES.contains(word)) {
            return isRead(tokens) ? StatementClass.READ : StatementClass.WRITE;
        }
        return switch (word) {
            case "CALL", "DO" -> StatementClass.PROCEDURE;
            case "{" -> tokens.stream().anyMatch(t -> t.is("CALL")) ? StatementClass.PROCEDURE : StatementClass.WRITE;
            case "SET" -> isTransactionSetting(tokens) ? StatementClass.SETTING : StatementClass.SESSION_SETTING;
            case "RESET", "DISCARD" -> StatementClass.SESSION_SETTING;
            case "INSERT" -> isPlainInsert(tokens) ? StatementClass.PLAIN_INSERT : change(tokens);
            case "UPDATE", "DELETE", "MERGE" -> change(tokens);
            default -> StatementClass.WRITE;
        };
    }

    private static StatementClass change(List<SqlToken> tokens) {
        return tokens.stream().anyMatch(token -> token.is("RETURNING")) ? StatementClass.WRITE : StatementClass.CHANGE;
    }

    private static boolean isTransactionSetting(List<SqlToken> tokens) {
        return tokens.size() > 1 && TRANSACTION_SETTINGS.stream().anyMatch(tokens.get(1)::is);
    }

    /** PREPARE TRANSACTION (which keeps the lock, but ends the transaction behind the library's back). */
    private static boolean isTwoPhase(List<SqlToken> tokens) {
        return tokens.size() > 1 && tokens.get(0).is("PREPARE") && tokens.get(1).is("TRANSACTION");
    }

    private static boolean isRead(List<SqlToken> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            SqlToken token = tokens.get(i);
            if (token.kind() == Kind.WORD && WRITING.contains(token.text())) {
                return false;
            }
            if (token.is("(") && i > 0 && callsUnknown(tokens, i - 1)) {
                return false;
            }
        }
        return true;
    }

    private static boolean callsUnknown(List<SqlToken> tokens, int before) {
        SqlToken name = tokens.get(before);
        boolean qualified = before > 0 && tokens.get(before - 1).is(".");
        return switch (name.kind()) {
            case WORD -> qualified || !SYNTAX.contains(name.text()) && !HARMLESS.contains(name.text());
            case QUOTED -> true;
            default -> false;
        };
    }

    private static boolean isPlainInsert(List<SqlToken> tokens) {
        Optional<Integer> values =
                tokens.stream().filter(token -> token.is("VALUES")).findFirst().map(tokens::indexOf);
        if (values.isEmpty() || tokens.size() < 2 || !tokens.get(1).is("INTO")) {
            return false;
        }
        return isNameList(tokens.subList(2, values.get())) && areConstants(tokens, values.get() + 1);
    }

    /** {@code schema.table (a, b)}: names, dots, commas and one pair of parentheses. */
    private static boolean isNameList(List<SqlToken> tokens) {
        return tokens.stream()
                .allMatch(token -> token.kind() == Kind.QUOTED
                        || token.kind() == Kind.WORD
                                && !token.is("AS")
                                && !token.is("OVERRIDING")
                                && !token.is("SELECT")
                        || token.is(".")
                        || token.is(",")
                        || token.is("(")
                        || token.is(")"));
    }

    private static boolean areConstants(List<SqlToken> tokens, int from) {
        for (int i = from; i < tokens.size(); i++) {
            SqlToken token = tokens.get(i);
            if (token.is("RETURNING")) {
                return isColumnList(tokens.subList(i + 1, tokens.size()));
            }
            boolean constant = token.kind() == Kind.LITERAL
                    || token.kind() == Kind.PARAMETER
                    || token.kind() != Kind.QUOTED && CONSTANTS.contains(token.text());
            if (!constant) {
                return false;
            }
        }
        return from < tokens.size();
    }

    private static boolean isColumnList(List<SqlToken> tokens) {
        return tokens.stream()
                .allMatch(token -> token.kind() == Kind.QUOTED
                        || token.kind() == Kind.WORD
                        || token.is(",")
                        || token.is(".")
                        || token.is("*"));
    }
}
