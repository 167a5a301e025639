package io.shardwright.planning.hotkeys;

import io.shardwright.planning.acks.AckCount;
import io.shardwright.routing.LoadReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What one boot of a router process has reported, as far as it is remembered.
 *
 * @param live it is asked for; false: it is gone, and what it did counts until it is too old
 */
public record ProcessReports(boolean live, List<Heard> slices) {
    /** A slice rides on the acknowledgement after it, and one may be late or lost: this much more than a window is looked at. */
    private static final Duration SLACK = Duration.ofSeconds(30);

    /** @param age time since it arrived */
    public record Heard(LoadReport report, Duration age) {}

    public ProcessReports {
        slices = List.copyOf(slices);
    }

    /** How long a slice may matter for a window of this length: lost ones are made up for by older ones, up to a half more. */
    public static Duration reach(Duration window) {
        return window.plus(window.dividedBy(2)).plus(SLACK);
    }

    /** The newest slices that add up to the window, or all there are. */
    List<LoadReport> within(Duration window) {
        List<LoadReport> newest = new ArrayList<>();
        long millis = 0;
        for (Heard heard : fresh(window)) {
            if (millis < window.toMillis()) {
                newest.add(heard.report());
                millis += heard.report().millis();
            }
        }
        return newest;
    }

    private List<Heard> fresh(Duration window) {
        return slices.stream()
                .filter(heard -> heard.age().compareTo(reach(window)) <= 0)
                .sorted(Comparator.comparingLong((Heard heard) -> heard.report().slice())
                        .reversed())
                .toList();
    }

    /** It has reported for as long as the window is, and speaks still. */
    boolean spans(Duration window) {
        return speaks() && within(window).stream().mapToLong(LoadReport::millis).sum() >= window.toMillis();
    }

    /** All that it did in the window is known: it spans it, or nothing that its boot reported is missing and it asked nothing before. */
    boolean covers(Duration window) {
        if (spans(window)) {
            return true;
        }
        List<Heard> known = fresh(window);
        return speaks() && known.getFirst().report().slice() == known.size();
    }

    private boolean speaks() {
        return slices.stream().anyMatch(heard -> heard.age().compareTo(AckCount.SILENT_AFTER) <= 0);
    }
}
