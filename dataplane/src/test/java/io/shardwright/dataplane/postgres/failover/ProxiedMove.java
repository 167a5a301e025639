package io.shardwright.dataplane.postgres.failover;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.failover.Scene.Place;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.faults.Fault;
import io.shardwright.servers.faults.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A story whose movers reach both servers through proxies. Whenever one process fails, or is not heard any more, the next one
 * goes on from the databases, as a controller would have it.
 */
final class ProxiedMove implements AutoCloseable {
    private static final int ATTEMPTS = 10;

    /** How the commit of a fence reads in the name of its effect. */
    private static final String FENCE = "UPDATE shardwright.fence f SET state = ?, epoch = f.epoch + ?";

    /** One effect of one of the two sides. */
    record Point(Side side, String effect) {}

    enum Side {
        SOURCE,
        TARGET
    }

    private final ShopDatabase here;
    private final ShopDatabase there;
    private final FaultProxy source;
    private final FaultProxy target;
    private final Scene scene;
    private Fault fault;
    private int processes;
    private boolean killed;

    ProxiedMove(ShopDatabase here, ShopDatabase there, int bucket) {
        this.here = here;
        this.there = there;
        source = FaultProxy.before(here.server(), "shardwright/");
        target = FaultProxy.before(there.server(), "shardwright/");
        scene = new Scene(UUID.randomUUID(), bucket, place("ds-0", here, source), place("ds-4", there, target));
        scene.plant();
    }

    private static Place place(String shard, ShopDatabase database, FaultProxy proxy) {
        return new Place(shard, database.name(), database.server().superuserUrl(database.name()), proxy.port());
    }

    ProxiedMove arm(Point point, Fault what) {
        fault = what;
        proxy(point.side()).arm(effect -> effect.name().equals(point.effect()), what);
        return this;
    }

    /** Strikes the first fence when its commit is sent. */
    ProxiedMove armFence(Fault what) {
        fault = what;
        source.arm(
                effect ->
                        effect.what().startsWith("COMMIT of ") && effect.what().contains(FENCE),
                what);
        return this;
    }

    private FaultProxy proxy(Side side) {
        return side == Side.SOURCE ? source : target;
    }

    /** Every effect so far. */
    List<Point> points() {
        List<Point> points = new ArrayList<>();
        for (Side side : Side.values()) {
            proxy(side).effects().forEach(effect -> points.add(new Point(side, effect.name())));
        }
        return points;
    }

    /** How many processes it took. */
    int processes() {
        return processes;
    }

    MoveTask task() {
        return scene.task();
    }

    void write() {
        scene.writeHere();
    }

    String fences() {
        return scene.fences();
    }

    /** One process after the other, all of them inside of this one, until the story is at its end, or nobody gets it there. */
    void run(Story story) {
        boolean ended = false;
        for (processes = 0; !ended && processes < ATTEMPTS; processes++) {
            ended = attempt(story);
        }
    }

    /** The same, but until it is killed by SIGKILL each is a process of its own. */
    void runKilled(Story story) {
        boolean ended = false;
        for (processes = 0; !ended && processes < ATTEMPTS; processes++) {
            ended = killed ? attempt(story) : attemptOutside(story);
        }
    }

    private boolean attempt(Story story) {
        try (Crew crew = new Crew(scene.task(), story.deadly(), this::silent)) {
            return story.attempt(scene, crew);
        } finally {
            bury();
        }
    }

    private boolean attemptOutside(Story story) {
        try (MoverProcess process = MoverProcess.start(story, scene)) {
            return process.endsUnless(this::silent);
        } finally {
            bury();
        }
    }

    /** The moment at which the process is killed has come; nobody waits for what will not come. */
    private boolean silent() {
        return !killed
                && switch (fault) {
                    case HOLD_REQUEST -> source.struck().or(target::struck).isPresent();
                    case DROP_ANSWER -> source.answerWithheld() || target.answerWithheld();
                    case null, default -> false;
                };
    }

    /** What a killed process has not sent is never sent, and its sessions break. */
    private void bury() {
        if (silent()) {
            killed = true;
            source.cut();
            target.cut();
        }
    }

    /** What is not as it has to be at the end of that story; empty when all is well. */
    List<String> wrong(Story story) {
        List<String> wrong = new ArrayList<>();
        compare(wrong, "fences", story.fences(), scene.fences());
        compare(wrong, "rows of the owner", story.rows(), scene.hereOwns() ? scene.rowsHere() : scene.rowsThere());
        compare(wrong, "rows of the other", "", scene.hereOwns() ? scene.rowsThere() : scene.rowsHere());
        try {
            Eventually.until(
                    "nothing to be left",
                    Duration.ofSeconds(30),
                    () -> leftovers().isEmpty(),
                    () -> leftovers().toString());
        } catch (Eventually.NotInTimeException left) {
            wrong.add(left.getMessage());
        }
        if (fault != null && source.struck().or(target::struck).isEmpty()) {
            wrong.add("the fault has not struck");
        }
        return wrong;
    }

    private static void compare(List<String> wrong, String what, String wanted, String found) {
        if (!wanted.equals(found)) {
            wrong.add(what + ": " + found + " instead of " + wanted);
        }
    }

    /** What is left behind in either database; the server needs a moment to end the sessions of a closed mover. */
    private List<List<String>> leftovers() {
        return Stream.of(here, there)
                .flatMap(database -> Stream.of(scene.task(), scene.task().reversal())
                        .flatMap(task ->
                                database.server().query(database.name(), FailoverPair.leftoversSql(task)).stream()))
                .toList();
    }

    @Override
    public void close() {
        source.close();
        target.close();
    }
}
