package io.shardwright.dataplane.postgres.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.failover.ProxiedMove.End;
import io.shardwright.dataplane.postgres.failover.ProxiedMove.Point;
import io.shardwright.servers.PostgresServer.Version;
import io.shardwright.servers.faults.Fault;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Learn, plan, run, compare. A clean move numbers everything that movers make durable on either side. A plan is one of these
 * effects and one fault; whatever it cuts, the movers that come after bring the move to an end with one owner, all rows and
 * nothing left behind.
 */
class KillPlanIT {
    private static final List<Fault> FAULTS = List.of(Fault.CUT_BEFORE, Fault.CUT_AFTER, Fault.DROP_ANSWER);
    private static final int SAMPLES = 8;
    private static final int AT_A_TIME = 4;

    /** They come again as often as time allows; one of each is as good as all. */
    private static final Set<String> RHYTHM = Set.of(
            "INSERT INTO shardwright.heartbeat AS h (move_id, beat, mark) VAL",
            "SELECT pg_logical_emit_message(true, ?, ?)",
            "COMMIT of UPDATE shardwright.move_progress SET position = $?::pg_lsn WHERE");

    private static int pairs;
    private static int nextBucket = ShopDatabase.BUCKETING.buckets();
    private static ShopDatabase here;
    private static ShopDatabase there;

    private record Plan(Point point, Fault fault) {
        /** Sequences belong to all moves of a pair: what another one has advanced is not advanced again. */
        boolean alone() {
            return point.effect().contains("setval");
        }
    }

    private record Outcome(Plan plan, End end, int movers, List<String> wrong) {
        @Override
        public String toString() {
            return "%-11s %s %s: %s by %d movers %s"
                    .formatted(
                            plan.fault(),
                            plan.point().side(),
                            plan.point().effect(),
                            end,
                            movers,
                            wrong.isEmpty() ? "" : wrong);
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

    /** What two clean runs both do, in the order of the first. */
    private static List<Point> learn() {
        Set<Point> both = new LinkedHashSet<>(cleanRun());
        both.retainAll(Set.copyOf(cleanRun()));
        both.removeIf(point -> RHYTHM.stream()
                .anyMatch(again -> point.effect().startsWith(again + " #")
                        && !point.effect().equals(again + " #1")));
        return List.copyOf(both);
    }

    private static List<Point> cleanRun() {
        try (ProxiedMove move = nextMove()) {
            End end = move.run();
            assertThat(end).isEqualTo(End.MOVED);
            assertThat(move.wrong(end)).isEmpty();
            assertThat(move.movers()).isOne();
            return move.points();
        }
    }

    private static Outcome run(Plan plan) {
        try (ProxiedMove move = nextMove().arm(plan.point(), plan.fault())) {
            End end = move.run();
            return new Outcome(plan, end, move.movers(), move.wrong(end));
        }
    }

    private static List<Outcome> run(List<Plan> plans) throws Exception {
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
        return outcomes;
    }

    private static void assertWell(List<Outcome> outcomes) {
        assertThat(outcomes)
                .allSatisfy(outcome ->
                        assertThat(outcome.wrong()).as(outcome.toString()).isEmpty());
    }

    @Test
    void aSampleOfAllFaultsAtAllEffectsEndsWithOneOwnerAndAllRows() throws Exception {
        List<Point> points = learn();
        List<Plan> plans = IntStream.range(0, SAMPLES)
                .mapToObj(i -> new Plan(points.get(i * points.size() / SAMPLES), FAULTS.get(i % FAULTS.size())))
                .toList();
        System.out.println("R = " + points.size() + ", " + plans.size() + " plans");

        assertWell(run(plans));
    }

    @Test
    @Tag("long")
    void everyFaultAtEveryEffectEndsWithOneOwnerAndAllRows() throws Exception {
        List<Point> points = learn();
        List<Plan> plans = points.stream()
                .flatMap(point -> FAULTS.stream().map(fault -> new Plan(point, fault)))
                .toList();
        System.out.println("R = " + points.size() + ", " + plans.size() + " plans");

        assertWell(run(plans));
    }
}
