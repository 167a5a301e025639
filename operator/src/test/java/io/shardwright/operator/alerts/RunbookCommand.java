package io.shardwright.operator.alerts;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A command as a runbook shows it, cut into words as a shell would. */
record RunbookCommand(List<String> words) {
    private static final Pattern FENCED = Pattern.compile("(?ms)^ *```\\n(.*?)^ *```$");
    private static final Pattern INLINE = Pattern.compile("`(kubectl [^`]+)`");
    private static final Pattern WORD = Pattern.compile("(?:'[^']*'|\"[^\"]*\"|[^\\s'\"])+");

    static Stream<RunbookCommand> kubectl(String page) {
        Stream<String> fenced = FENCED.matcher(page)
                .results()
                .flatMap(block -> block.group(1).lines())
                .map(String::strip)
                .filter(line -> line.startsWith("kubectl "));
        Stream<String> inline = INLINE.matcher(
                        FENCED.matcher(page).replaceAll("").replaceAll("\\s*\\n\\s*", " "))
                .results()
                .map(match -> match.group(1));
        return Stream.concat(fenced, inline).map(RunbookCommand::of);
    }

    private static RunbookCommand of(String line) {
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(line);
        while (matcher.find()) {
            words.add(matcher.group().replaceAll("'([^']*)'", "$1"));
        }
        return new RunbookCommand(words);
    }

    /** Verb and objects, in this order; options with a value of their own are left out with it. */
    List<String> operands() {
        List<String> operands = new ArrayList<>();
        for (int i = 1; i < words.size(); i++) {
            String word = words.get(i);
            if (List.of("-n", "-l", "-o", "-p", "-k", "-f", "--field-selector").contains(word)) {
                i++;
            } else if (!word.startsWith("-")) {
                operands.add(word);
            }
        }
        return operands;
    }

    /** The value of {@code -o value} and of {@code --option=value} alike. */
    Optional<String> option(String name) {
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).equals(name) && i + 1 < words.size()) {
                return Optional.of(words.get(i + 1));
            }
            if (words.get(i).startsWith(name + "=")) {
                return Optional.of(words.get(i).substring(name.length() + 1));
            }
        }
        return Optional.empty();
    }

    @Override
    public String toString() {
        return String.join(" ", words);
    }
}
