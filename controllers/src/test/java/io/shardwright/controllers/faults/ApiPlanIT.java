package io.shardwright.controllers.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.servers.faults.ApiFault;
import io.shardwright.servers.faults.Plans;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Learn, plan, run, compare. Clean runs of a move number everything that its operator changes in the API server. A plan is one
 * of these effects and one fault; whatever it strikes, the move ends as in the clean run: same phase, conditions and table, same
 * fence rows by the same steps of the movers, nothing left behind and nothing told twice.
 *
 * <p>An operator that is killed after an answer is one that is killed before it sends the next call.
 *
 * <p>Long: learning and a few plans take most of a minute.
 */
@Tag("long")
class ApiPlanIT {
    private static final int SAMPLES = 3;
    private static final int AT_A_TIME = 4;
    private static final int CLEAN_RUNS = 2;

    private static Clean clean;

    private record Plan(String effect, ApiFault fault) {
        @Override
        public String toString() {
            return "%-17s %s".formatted(fault, effect);
        }
    }

    private record Outcome(Plan plan, int processes, List<String> wrong) {
        @Override
        public String toString() {
            return "%s: %d processes %s".formatted(plan, processes, wrong.isEmpty() ? "" : wrong);
        }
    }

    /** @param points what all clean runs do, in the order of the first */
    private record Clean(List<String> points, EndState end, Map<String, Long> events) {
        Clean and(Clean other) {
            assertThat(other.end.differences(end)).as("two clean runs").isEmpty();
            Set<String> both = new LinkedHashSet<>(points);
            both.retainAll(other.points);
            return new Clean(List.copyOf(both), end, events);
        }
    }

    private static synchronized Clean learn() throws Exception {
        if (clean == null) {
            List<Clean> runs = atATime(IntStream.range(0, CLEAN_RUNS).boxed().toList(), any -> cleanRun());
            clean = runs.stream().reduce(Clean::and).orElseThrow();
        }
        return clean;
    }

    private static Clean cleanRun() {
        try (ProxiedMove move = new ProxiedMove()) {
            EndState end = move.run();
            return new Clean(move.points(), end, move.events());
        }
    }

    private static List<Plan> plans(List<String> points) {
        return points.stream()
                .flatMap(point -> Stream.of(ApiFault.values()).map(fault -> new Plan(point, fault)))
                .toList();
    }

    private static Outcome run(Plan plan, Clean clean) {
        try (ProxiedMove move = new ProxiedMove().arm(plan.effect(), plan.fault())) {
            List<String> wrong = new ArrayList<>();
            try {
                move.runTo(clean.end());
            } catch (AssertionError stuck) {
                wrong.addAll(move.state().differences(clean.end()));
            }
            if (!move.struck()) {
                wrong.add("the fault has not struck");
            }
            move.events().forEach((event, times) -> {
                if (times > clean.events().getOrDefault(event, 1L)) {
                    wrong.add(times + " times: " + event);
                }
            });
            return new Outcome(plan, move.processes(), wrong);
        } catch (AssertionError | RuntimeException broken) { // the other plans have something to say, too
            return new Outcome(plan, 0, List.of(broken.toString()));
        }
    }

    private interface Run<P, R> {
        R of(P plan);
    }

    private static <P, R> List<R> atATime(List<P> plans, Run<P, R> run) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME)) {
            List<Future<R>> running = plans.stream()
                    .map(plan -> threads.submit((Callable<R>) () -> run.of(plan)))
                    .toList();
            List<R> results = new ArrayList<>();
            for (Future<R> one : running) {
                results.add(one.get());
            }
            return results;
        }
    }

    private static void assertWell(List<Plan> plans) throws Exception {
        Clean clean = learn();
        List<Outcome> outcomes = atATime(plans, plan -> run(plan, clean));
        outcomes.forEach(System.out::println);
        assertThat(outcomes)
                .allSatisfy(outcome ->
                        assertThat(outcome.wrong()).as(outcome.toString()).isEmpty());
    }

    @Test
    void aSampleOfAllFaultsAtAllCallsEndsAsTheCleanRun() throws Exception {
        List<String> points = learn().points();
        System.out.println("R_api = " + points.size());

        assertWell(Plans.sample(plans(points), SAMPLES));
    }

    @Test
    void everyFaultAtEveryCallEndsAsTheCleanRun() throws Exception {
        List<String> points = learn().points();
        List<Plan> plans = plans(points);
        System.out.println("R_api = " + points.size() + ", " + plans.size() + " plans");
        points.forEach(System.out::println);

        assertWell(plans);
    }
}
