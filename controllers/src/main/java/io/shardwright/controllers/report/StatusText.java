package io.shardwright.controllers.report;

import io.shardwright.meaning.PlanTexts;
import java.util.List;

/** Texts within the lengths that the kinds allow: the API server refuses a whole status for one text that is too long. */
public final class StatusText {
    /** Longest nextAction, message of a shard and message of an event. */
    public static final int MOST = 1024;

    private StatusText() {}

    /** The text, or as much of it as a field of 1024 characters takes. */
    public static String cut(String text) {
        return text.length() <= MOST ? text : PlanTexts.cut(text, MOST - 3) + "...";
    }

    /** The first of the names, and how many more there are. */
    public static String first(int most, List<String> names) {
        String named = String.join(", ", names.subList(0, Math.min(most, names.size())));
        return names.size() <= most ? named : named + " and " + (names.size() - most) + " more";
    }
}
