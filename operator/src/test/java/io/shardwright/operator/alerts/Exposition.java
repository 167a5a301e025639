package io.shardwright.operator.alerts;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The answer to a scrape: the names and labels that Prometheus gets, which are not those that the code gives. */
final class Exposition {
    private static final Pattern SERIES = Pattern.compile("^(?<name>[a-zA-Z_:][\\w:]*)(\\{(?<labels>.*)})? \\S+.*$");
    private static final Pattern LABEL = Pattern.compile("(?<key>\\w+)=\"(?<value>[^\"]*)\",?");

    private final Map<String, List<Map<String, String>>> series = new TreeMap<>();

    static Exposition of(String scrape) {
        Exposition exposition = new Exposition();
        scrape.lines().filter(line -> !line.startsWith("#") && !line.isBlank()).forEach(exposition::add);
        return exposition;
    }

    private void add(String line) {
        Matcher matcher = SERIES.matcher(line);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("no series: " + line);
        }
        Map<String, String> labels = new TreeMap<>();
        if (matcher.group("labels") != null) {
            Matcher each = LABEL.matcher(matcher.group("labels"));
            while (each.find()) {
                labels.put(each.group("key"), each.group("value"));
            }
        }
        series.computeIfAbsent(matcher.group("name"), any -> new java.util.ArrayList<>())
                .add(labels);
    }

    Set<String> names() {
        return series.keySet();
    }

    /** Labels that every series of the metric has. */
    Set<String> labels(String metric) {
        Set<String> common = null;
        for (Map<String, String> labels : series.getOrDefault(metric, List.of())) {
            if (common == null) {
                common = new TreeSet<>(labels.keySet());
            }
            common.retainAll(labels.keySet());
        }
        return common == null ? Set.of() : common;
    }

    /** Whether a series has these values, so that a selector can find it. */
    boolean has(String metric, Map<String, String> equal) {
        return series.getOrDefault(metric, List.of()).stream()
                .anyMatch(labels -> labels.entrySet().containsAll(equal.entrySet()));
    }
}
