package io.shardwright.crds.manifests;

import com.fasterxml.jackson.databind.JsonNode;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Reason;
import java.util.Arrays;
import java.util.Comparator;
import java.util.SortedMap;
import java.util.TreeMap;

/** The reference for people, as the Java types give it now: one page for each kind, and one of conditions and reasons. */
final class GeneratedReference {
    private static final String HEADER =
            "<!-- Generated from the Java types in crds/ (see CONTRIBUTING.md); edits are lost. -->\n";

    private GeneratedReference() {}

    /** The pages, sorted by file name. */
    static SortedMap<String, String> texts() {
        SortedMap<String, String> texts = new TreeMap<>();
        for (JsonNode crd : GeneratedCrds.trees().values()) {
            texts.put(crd.at("/spec/names/singular").asText() + ".md", HEADER + new KindPage(crd).text());
        }
        texts.put("conditions.md", HEADER + conditions());
        return texts;
    }

    private static String conditions() {
        StringBuilder page = new StringBuilder("""
                # Conditions and reasons

                A condition is True, False or Unknown, and Unknown is never good. Its message tells what was seen, what is
                awaited, and until when. A reason never changes its meaning, so scripts and alerts may rely on it.

                ## Conditions

                | condition | of | True means |
                |---|---|---|
                """);
        for (ConditionType type : ConditionType.values()) {
            page.append("| `%s` | %s | %s |\n".formatted(type.wire(), type.kinds(), type.meaning()));
        }
        page.append(
                "\n## Reasons\n\n| reason | what it means, and what to do where somebody has to do something |\n|---|---|\n");
        Arrays.stream(Reason.values())
                .sorted(Comparator.comparing(Reason::wire))
                .forEach(reason -> page.append("| `%s` | %s |\n".formatted(reason.wire(), reason.meaning())));
        return page.toString();
    }
}
