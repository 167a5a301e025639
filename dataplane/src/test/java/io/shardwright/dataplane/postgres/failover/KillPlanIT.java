package io.shardwright.dataplane.postgres.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.failover.ProxiedMove.Point;
import io.shardwright.servers.PostgresServer.Version;
import io.shardwright.servers.faults.Fault;
import io.shardwright.servers.faults.Plans;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Learn, plan, run, compare. Clean runs of a story number everything that movers make durable on either side. A plan is one of
 * these effects and one fault; whatever it strikes, the processes that come after bring the story to the same end: one owner,
 * all rows and nothing left behind.
 *
 * <p>A process that is killed after the answer to an effect is one that is killed before it sends the next.
 */
class KillPlanIT {
    /** The first two break a connection; the process lives. */
    private static final List<Fault> CUTS = List.of(Fault.CUT_BEFORE, Fault.CUT_AFTER);

    /** The process is killed before it sends, and after the commit before it hears so. */
    private static final List<Fault> KILLS = List.of(Fault.HOLD_REQUEST, Fault.DROP_ANSWER);

    private static final int SAMPLES = 5;
    private static final int OUTSIDE = 5;
    private static final int AT_A_TIME = 4;

    /** They come again as often as time allows; one of each is as good as all. */
    private static final Set<String> RHYTHM = Set.of(
            "INSERT INTO shardwright.heartbeat AS h (move_id, beat, mark) VAL",
            "SELECT pg_logical_emit_message(true, ?, ?)",
            "COMMIT of UPDATE shardwright.move_progress SET position = $?::pg_lsn WHERE");

    private static final Map<Story, List<Point>> LEARNT = new EnumMap<>(Story.class);

    private static int pairs;
    private static int nextBucket = ShopDatabase.BUCKETING.buckets();
    private static ShopDatabase here;
    private static ShopDatabase there;

    /** @param outside the processes that the fault strikes are really killed */
    private record Plan(Story story, Point point, Fault fault, boolean outside) {
        /** Sequences belong to all moves of a pair: what another one has advanced is not advanced again. */
        boolean alone() {
            return point.effect().contains("setval");
        }

        @Override
        public String toString() {
            return "%s %-12s %s%s %s".formatted(story, fault, outside ? "SIGKILL " : "", point.side(), point.effect());
        }
    }

    private record Outcome(Plan plan, int processes, List<String> wrong) {
        @Override
        public String toString() {
            return "%s: %d processes %s".formatted(plan, processes, wrong.isEmpty() ? "" : wrong);
        }
    }

    /** A bucket that no run has moved yet. */
    private static synchronized ProxiedMove nextMove() {
        if (nextBucket == ShopDatabase.BUCKETING.buckets()) {
            Integer[] all = IntStream.range(0, nextBucket).boxed().toArray(Integer[]::new);
            pairs++;
            here = ShopDatabase.fenced(SharedServers.of(Version.OLDEST), "plan_here_" + pairs);
            there = ShopDatabase.fenced(SharedServers.of(Version.NEWEST), "plan_there_" + pairs, all);
            nextBucket = 0;
        }
        return new ProxiedMove(here, there, nextBucket++);
    }

    private static List<Point> learn(Story story) {
        return LEARNT.computeIfAbsent(story, KillPlanIT::whatTwoCleanRunsDo);
    }

    /** What both of them do, in the order of the first. */
    private static List<Point> whatTwoCleanRunsDo(Story story) {
        Set<Point> both = new LinkedHashSet<>(cleanRun(story));
        both.retainAll(Set.copyOf(cleanRun(story)));
        both.removeIf(point -> RHYTHM.stream()
                .anyMatch(again -> point.effect().startsWith(again + " #")
                        && !point.effect().equals(again + " #1")));
        return List.copyOf(both);
    }

    private static List<Point> cleanRun(Story story) {
        try (ProxiedMove move = nextMove()) {
            move.run(story);
            assertThat(move.wrong(story)).isEmpty();
            assertThat(move.processes()).isEqualTo(story.deadly().isPresent() ? 2 : 1);
            return move.points();
        }
    }

    private static List<Plan> plans(Story story, List<Point> points, List<Fault> faults) {
        return points.stream()
                .flatMap(point -> faults.stream().map(fault -> new Plan(story, point, fault, false)))
                .toList();
    }

    private static Outcome run(Plan plan) {
        try (ProxiedMove move = nextMove().arm(plan.point(), plan.fault())) {
            if (plan.outside()) {
                move.runKilled(plan.story());
            } else {
                move.run(plan.story());
            }
            return new Outcome(plan, move.processes(), move.wrong(plan.story()));
        } catch (AssertionError stuck) { // the other plans have something to say, too
            return new Outcome(plan, 0, List.of(String.valueOf(stuck.getMessage())));
        } catch (RuntimeException broken) {
            return new Outcome(plan, 0, List.of(broken.toString()));
        }
    }

    private static void assertWell(List<Plan> plans) throws Exception {
        List<Outcome> outcomes = new ArrayList<>();
        plans.stream().filter(Plan::alone).map(KillPlanIT::run).forEach(outcomes::add);
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME)) {
            List<Future<Outcome>> running = plans.stream()
                    .filter(plan -> !plan.alone())
                    .map(plan -> threads.submit((Callable<Outcome>) () -> run(plan)))
                    .toList();
            for (Future<Outcome> one : running) {
                outcomes.add(one.get());
            }
        }
        outcomes.forEach(System.out::println);
        assertThat(outcomes)
                .allSatisfy(outcome ->
                        assertThat(outcome.wrong()).as(outcome.toString()).isEmpty());
    }

    private static List<Fault> all() {
        List<Fault> all = new ArrayList<>(CUTS);
        all.addAll(KILLS);
        return all;
    }

    /** Of the two that end where somebody wants to be; learning a story costs more than its sample, so aborts are long. */
    @ParameterizedTest
    @EnumSource(names = {"MOVED", "REVERSED"})
    void aSampleOfAllFaultsAtAllEffectsEndsAsTheCleanRun(Story story) throws Exception {
        assumeThat(System.getProperty("plan", story + " "))
                .as("the plan is of this story")
                .startsWith(story + " ");
        List<Point> points = learn(story);
        System.out.println(story + ": R = " + points.size());

        assertWell(Plans.sample(plans(story, points, all()), SAMPLES));
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void everyFaultAtEveryEffectEndsAsTheCleanRun(Story story) throws Exception {
        List<Point> points = learn(story);
        List<Plan> plans = plans(story, points, all());
        System.out.println(story + ": R = " + points.size() + ", " + plans.size() + " plans");

        assertWell(plans);
    }

    /** The reference for the kills inside of this process: one in five of them, by SIGKILL. */
    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void oneInFiveKillsIsTheSameBySigkill(Story story) throws Exception {
        List<Plan> kills = plans(story, learn(story), KILLS);
        List<Plan> some = IntStream.range(0, kills.size())
                .filter(i -> i % OUTSIDE == 0)
                .mapToObj(kills::get)
                .map(plan -> new Plan(plan.story(), plan.point(), plan.fault(), true))
                .toList();
        System.out.println(story + ": " + some.size() + " of " + kills.size() + " kills by SIGKILL");

        assertWell(some);
    }
}
