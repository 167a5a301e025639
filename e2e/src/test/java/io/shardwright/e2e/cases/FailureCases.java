package io.shardwright.e2e.cases;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The text of {@code docs/failure-cases.md}: a row for each case, and the tests that it names. */
record FailureCases(String text) {
    private static final int CASES = 39;
    private static final String NOT_SHOWN = "not shown yet";

    /** A line of the table whose first cell is a number; the fourth names tests, the fifth says what is missing. */
    private static final Pattern ROW =
            Pattern.compile("^\\| (\\d+) \\|[^|]*\\|[^|]*\\|([^|]*)\\|([^|]*)\\|$", Pattern.MULTILINE);

    private static final Pattern TEST = Pattern.compile("`(\\w+)#(\\w+)`(?: \\(([a-z, ]+)\\))?");

    /** @param marks what is said behind the name, as in {@code (model, long)} */
    record Named(String type, String method, Set<String> marks) {
        private static Named of(MatchResult found) {
            Set<String> marks = found.group(3) == null
                    ? Set.of()
                    : new HashSet<>(Arrays.asList(found.group(3).split(", ")));
            return new Named(found.group(1), found.group(2), marks);
        }

        private String words() {
            return type + "#" + method;
        }
    }

    /** Everything that is not so, in words; empty when the page can be believed. */
    List<String> faults(TestSources sources) {
        List<String> faults = new ArrayList<>(faultsOfRows());
        named(text).forEach(one -> faults.addAll(faults(one, sources)));
        return faults;
    }

    private List<String> faultsOfRows() {
        List<String> faults = new ArrayList<>();
        List<MatchResult> rows = ROW.matcher(text).results().toList();
        List<Integer> numbers =
                rows.stream().map(row -> Integer.valueOf(row.group(1))).toList();
        List<Integer> wanted = IntStream.rangeClosed(1, CASES).boxed().toList();
        if (!numbers.equals(wanted)) {
            faults.add("the rows are " + numbers + ", not 1 to " + CASES);
        }
        for (MatchResult row : rows) {
            boolean shown = !row.group(2).contains(NOT_SHOWN);
            if (shown && named(row.group(2)).isEmpty()) {
                faults.add("case " + row.group(1) + " names no test and does not say \"" + NOT_SHOWN + "\"");
            }
            if (!shown && row.group(3).isBlank()) {
                faults.add("case " + row.group(1) + " does not say what is missing");
            }
        }
        return faults;
    }

    private static List<String> faults(Named named, TestSources sources) {
        List<TestSources.Found> all = sources.find(named.type(), named.method());
        if (all.isEmpty()) {
            return List.of(named.words() + " is no test of this tree");
        }
        List<String> faults = new ArrayList<>();
        boolean isLong = all.stream().allMatch(TestSources.Found::isLong);
        if (isLong != named.marks().contains("long")) {
            faults.add(named.words() + (isLong ? " runs with make long only" : " runs with every make test"));
        }
        boolean alone = named.marks().contains("unit") || named.marks().contains("model");
        if (alone != named.type().endsWith("Test")) {
            faults.add(named.words() + (alone ? " runs on real servers" : " is a unit or a model"));
        }
        Set<String> unknown = new TreeSet<>(named.marks());
        unknown.removeAll(Set.of("unit", "model", "long"));
        unknown.forEach(mark -> faults.add(named.words() + " is marked " + mark + ", which means nothing"));
        return faults;
    }

    private static Set<Named> named(String text) {
        return TEST.matcher(text).results().map(Named::of).collect(Collectors.toSet());
    }
}
