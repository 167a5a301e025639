package io.shardwright.servers.faults;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Which of all plans run this time. A plan is one effect and one fault; its text is one line. */
public final class Plans {
    private Plans() {}

    /**
     * A few, others each time; the seed is printed, and {@code -Dplan.seed=} draws the same again. {@code -Dplan="<its line in a
     * report>"} takes one alone, whatever else was learnt.
     */
    public static <P> List<P> sample(List<P> plans, int count) {
        String wanted = System.getProperty("plan");
        if (wanted != null) {
            return List.of(plans.stream()
                    .filter(plan -> wanted.equals(plan.toString()) || wanted.startsWith(plan + ":"))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(
                            "no plan reads '" + wanted + "'; those that were learnt are " + plans)));
        }
        long seed = Long.getLong("plan.seed", System.nanoTime());
        List<P> shuffled = new ArrayList<>(plans);
        Collections.shuffle(shuffled, new Random(seed));
        System.out.println("plan.seed = " + seed);
        return shuffled.subList(0, count);
    }
}
