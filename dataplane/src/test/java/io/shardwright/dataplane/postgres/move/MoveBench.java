package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.servers.PostgresServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Prints what switches cost: one bucket to and fro between two durable servers under open-loop load. Run it by hand:
 * arguments are moves and writes per second.
 */
final class MoveBench {
    private MoveBench() {}

    public static void main(String[] arguments) {
        int moves = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 30;
        int rate = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 250;
        try (PostgresServer here =
                        PostgresServer.builder().name("here").durable().start();
                PostgresServer there =
                        PostgresServer.builder().name("there").durable().start()) {
            MovePair pair = MovePair.of(here, there);
            try (LiveLoad load = new LiveLoad(pair, 4, rate, 17)) {
                run(pair, load, moves);
                System.out.println("differences: " + load.stopAndCompare() + ", refusals " + load.refusals);
            }
        }
        System.exit(0);
    }

    private static void run(MovePair pair, LiveLoad load, int moves) {
        List<Double> holds = new ArrayList<>();
        List<Double> waits = new ArrayList<>();
        List<Double> errors = new ArrayList<>();
        Map<String, List<Double>> parts = new TreeMap<>();
        for (int i = 0; i < moves; i++) {
            MoveTask task = i % 2 == 0 ? pair.task(17) : pair.back(17);
            long began = System.nanoTime();
            try (MoverDriver mover = new MoverDriver(task)) {
                mover.done(Command.VALIDATE, Command.PREPARE, Command.VERIFY, Command.GATE);
                long before = System.nanoTime();
                MoveReport report = mover.switchEach(task.scopes());
                long after = System.nanoTime() + 100_000_000L;
                MoveReport.Switch last = report.switches().getLast();
                mover.done(Command.CLEAN_UP);
                holds.add(last.holdMs());
                waits.add(longestWait(load, before, after));
                errors.add(last.predictedMs() - last.holdMs());
                last.parts()
                        .forEach((part, ms) -> parts.computeIfAbsent(part, name -> new ArrayList<>())
                                .add(ms));
                System.out.printf(
                        "%d: predicted %.1f hold %.1f wait %.1f %s attempts %d, move %.1f s%n",
                        i,
                        last.predictedMs(),
                        last.holdMs(),
                        waits.getLast(),
                        last.parts(),
                        report.switches().size(),
                        (System.nanoTime() - began) / 1e9);
            }
        }
        print("hold", holds);
        parts.forEach(MoveBench::print);
        print("longest client wait per move", waits);
        print("prediction minus hold", errors);
    }

    private static double longestWait(LiveLoad load, long from, long to) {
        return load.waits.stream()
                .filter(wait -> wait[1] >= from && wait[0] <= to)
                .mapToDouble(wait -> (wait[1] - wait[0]) / 1e6)
                .max()
                .orElse(0);
    }

    private static void print(String name, List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        System.out.printf(
                "%-30s p50 %.2f p95 %.2f max %.2f ms%n",
                name,
                sorted.get(sorted.size() / 2),
                sorted.get(Math.min(sorted.size() - 1, (int) (sorted.size() * 0.95))),
                sorted.getLast());
    }
}
