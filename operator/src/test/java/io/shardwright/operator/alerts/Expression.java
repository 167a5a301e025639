package io.shardwright.operator.alerts;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a PromQL expression asks for: which series, and which labels it keeps. It knows the part of the language that our alerts
 * use and refuses everything else, so a word that it does not know is never taken for correct.
 */
final class Expression {
    private static final Pattern TOKEN =
            Pattern.compile("\\s+|(?<string>\"[^\"\\\\]*\")|(?<range>\\[\\d+[smhd]\\])|(?<number>\\d+(\\.\\d+)?)"
                    + "|(?<word>[a-zA-Z_:][a-zA-Z0-9_:]*)|(?<sign>==|!=|>=|<=|=~|!~|[=<>(){},+*/-])");
    private static final Set<String> AGGREGATIONS = Set.of("max", "min", "sum", "count");
    private static final Set<String> FUNCTIONS =
            Set.of("absent", "increase", "rate", "max_over_time", "histogram_quantile");
    private static final Set<String> GROUPINGS = Set.of("by", "on");
    private static final Set<String> OPERATORS = Set.of("and", "or", "unless");
    private static final Set<String> COMPARISONS = Set.of("=", "!=", "=~", "!~");

    /** @param equal labels that must have one value */
    record Selector(String metric, TreeMap<String, String> equal, Set<String> labels) {}

    private final List<String> tokens = new ArrayList<>();
    private final List<Selector> selectors = new ArrayList<>();
    private final Set<String> kept = new TreeSet<>();
    private int at;

    private Expression(String text) {
        Matcher matcher = TOKEN.matcher(text);
        int end = 0;
        while (matcher.find() && matcher.start() == end) {
            end = matcher.end();
            if (!matcher.group().isBlank()) {
                tokens.add(matcher.group());
            }
        }
        if (end != text.length()) {
            throw new IllegalArgumentException("not understood: " + text.substring(end));
        }
    }

    static Expression parse(String text) {
        Expression expression = new Expression(text);
        while (expression.at < expression.tokens.size()) {
            expression.element();
        }
        return expression;
    }

    List<Selector> selectors() {
        return List.copyOf(selectors);
    }

    /** Labels by which it groups: those that an alert may name. */
    Set<String> kept() {
        return kept;
    }

    private String next() {
        return at < tokens.size() ? tokens.get(at) : "";
    }

    private String take() {
        if (at >= tokens.size()) {
            throw new IllegalArgumentException("ends too early: " + tokens);
        }
        return tokens.get(at++);
    }

    private void expect(String sign) {
        String got = take();
        if (!got.equals(sign)) {
            throw new IllegalArgumentException("expected " + sign + ", not " + got + " in " + tokens);
        }
    }

    private void element() {
        String token = take();
        if (!Character.isLetter(token.charAt(0)) && token.charAt(0) != '_') {
            return;
        }
        if (GROUPINGS.contains(token)) {
            kept.addAll(names());
        } else if (AGGREGATIONS.contains(token)) {
            if (!GROUPINGS.contains(next())) {
                throw new IllegalArgumentException(token + " says not by which labels in " + tokens);
            }
        } else if (FUNCTIONS.contains(token)) {
            if (!next().equals("(")) {
                throw new IllegalArgumentException(token + " is a function, in " + tokens);
            }
        } else if (!OPERATORS.contains(token)) {
            selector(token);
        }
    }

    private List<String> names() {
        List<String> names = new ArrayList<>();
        expect("(");
        do {
            names.add(take());
        } while (take().equals(","));
        return names;
    }

    private void selector(String metric) {
        TreeMap<String, String> equal = new TreeMap<>();
        Set<String> labels = new TreeSet<>();
        if (next().equals("{")) {
            do {
                take();
                String label = take();
                String comparison = take();
                String value = take();
                if (!COMPARISONS.contains(comparison) || !value.startsWith("\"")) {
                    throw new IllegalArgumentException("no matcher: " + label + comparison + value);
                }
                labels.add(label);
                if (comparison.equals("=")) {
                    equal.put(label, value.substring(1, value.length() - 1));
                }
            } while (next().equals(","));
            expect("}");
        }
        selectors.add(new Selector(metric, equal, labels));
    }
}
