package io.shardwright.dataplane.postgres.failover;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardAccess.Endpoint;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.MoverDriver;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.faults.Fault;
import io.shardwright.servers.faults.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The reference move: one bucket with some rows, and a few writes of the application while it is under way. Its movers reach
 * both servers through proxies; whenever one fails, the next one goes on from the databases, as a controller would have it.
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

    /** What became of the move. */
    enum End {
        MOVED,
        ABORTED,
        NONE
    }

    private final ShopDatabase here;
    private final ShopDatabase there;
    private final FaultProxy source;
    private final FaultProxy target;
    private final MoveTask task;
    private final int bucket;
    private final long tenant;
    private String expected;
    private Fault fault;
    private boolean written;
    private int movers;

    ProxiedMove(ShopDatabase here, ShopDatabase there, int bucket) {
        this.here = here;
        this.there = there;
        this.bucket = bucket;
        tenant = ShopDatabase.keyIn(bucket);
        source = FaultProxy.before(here.server(), "shardwright/");
        target = FaultProxy.before(there.server(), "shardwright/");
        task = new MoveTask(
                UUID.randomUUID(),
                "orders",
                through(source, here.access("ds-0")),
                through(target, there.access("ds-4")),
                ShopDatabase.SCHEMA,
                new TreeSet<>(List.of(bucket)),
                MoverDriver.PATIENT);
        here.server().runScript(here.name(), """
            SET session_replication_role = replica;
            INSERT INTO orders SELECT %1$d, n, 'old' FROM generate_series(1, 20) n;
            INSERT INTO order_items SELECT %1$d, n, n, 'sku' FROM generate_series(1, 20) n\
            """.formatted(tenant));
        there.server().runScript(there.name(), "SELECT setval('orders_id_seq', 1), setval('order_items_id_seq', 1)");
        expected = rows(here);
    }

    private static ShardAccess through(FaultProxy proxy, ShardAccess direct) {
        return new ShardAccess(
                direct.shard(),
                List.of(new Endpoint("a", "127.0.0.1", proxy.port())),
                direct.database(),
                direct.operator(),
                direct.mover(),
                direct.tls());
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

    /** How many movers it took. */
    int movers() {
        return movers;
    }

    MoveTask task() {
        return task;
    }

    /** Movers, one after the other, until the move is at its end. */
    End run() {
        for (movers = 1; movers <= ATTEMPTS; movers++) {
            try (MoverDriver mover = MoverDriver.untilLost(task, StepBoundary.NONE, this::silent)) {
                Optional<End> end = attempt(mover);
                if (end.isPresent()) {
                    return end.get();
                }
            }
        }
        return End.NONE;
    }

    /** The answer to the first mover was dropped: nobody waits for what will not come, its process is killed instead. */
    private boolean silent() {
        return movers == 1 && fault == Fault.DROP_ANSWER && (source.answerWithheld() || target.answerWithheld());
    }

    /** @return empty when the mover has failed, or is not heard any more */
    private Optional<End> attempt(MoverDriver mover) {
        if (fenceOf(there).startsWith("OWNED")) {
            return succeeded(mover, Command.CLEAN_UP) ? Optional.of(End.MOVED) : Optional.empty();
        }
        if (!succeeded(mover, Command.PREPARE)) {
            boolean against = mover.report().failure().stream().anyMatch(f -> f.kind() == Kind.DECIDED_AGAINST);
            return against && succeeded(mover, Command.ABORT) ? Optional.of(End.ABORTED) : Optional.empty();
        }
        write();
        return fenceOf(there).startsWith("OWNED") || succeeded(mover, Command.VERIFY) && switched(mover)
                ? attempt(mover)
                : Optional.empty();
    }

    private boolean succeeded(MoverDriver mover, Command command) {
        MoveReport report = mover.run(command);
        return report.running().isEmpty() && report.failure().isEmpty();
    }

    private boolean switched(MoverDriver mover) {
        while (!fenceOf(there).startsWith("OWNED")) {
            mover.beginSwitch();
            MoveReport report = mover.idle();
            if (report.switching()
                    || report.running().isPresent()
                    || report.failure().isPresent()) {
                return false;
            }
        }
        return true;
    }

    /** The application's part, once: what the copy has not seen, what it has seen in another shape, what is gone again. */
    void write() {
        if (!written) {
            here.server().runScript(here.name(), """
                SET session_replication_role = replica; INSERT INTO orders VALUES (%1$d, 21, 'new');
                UPDATE orders SET note = 'changed' WHERE tenant_id = %1$d AND id = 3;
                DELETE FROM order_items WHERE tenant_id = %1$d AND id = 4\
                """.formatted(tenant));
            expected = rows(here);
            written = true;
        }
    }

    private String fenceOf(ShopDatabase database) {
        List<List<String>> rows = database.server()
                .query(
                        database.name(),
                        "SELECT state || ' ' || epoch FROM shardwright.fence WHERE scope = 'b:" + bucket + "'");
        return rows.isEmpty() ? "absent" : rows.getFirst().getFirst();
    }

    /** Both fence rows, "MOVED 2 / IMPORTING 1". */
    String fences() {
        return fenceOf(here) + " / " + fenceOf(there);
    }

    private String rows(ShopDatabase database) {
        return database.server()
                .query(database.name(), """
                SELECT concat((SELECT string_agg(concat(id, note), ' ' ORDER BY id) FROM orders WHERE tenant_id = %1$d), ' ',
                  (SELECT string_agg(concat(order_id, '/', id, sku), ' ' ORDER BY id) FROM order_items WHERE tenant_id = %1$d))\
                """.formatted(tenant))
                .getFirst()
                .getFirst()
                .strip();
    }

    /** What is not as it has to be after that end; empty when all is well. */
    List<String> wrong(End end) {
        if (end == End.NONE) {
            return List.of("not at its end: " + fences());
        }
        ShopDatabase owner = end == End.MOVED ? there : here;
        ShopDatabase other = end == End.MOVED ? here : there;
        List<String> wrong = new ArrayList<>();
        compare(wrong, "fences", end == End.MOVED ? "MOVED 2 / OWNED 2" : "OWNED 3 / ABORTED 1", fences());
        compare(wrong, "rows of the owner", expected, rows(owner));
        compare(wrong, "rows of the other", "", rows(other));
        Eventually.until(
                "nothing to be left",
                Duration.ofSeconds(30),
                () -> leftovers().isEmpty(),
                () -> leftovers().toString());
        if (fault != null && source.struck().or(target::struck).isEmpty()) {
            wrong.add("the fault has not struck");
        }
        return wrong;
    }

    private static void compare(List<String> wrong, String what, String expected, String found) {
        if (!expected.equals(found)) {
            wrong.add(what + ": " + found + " instead of " + expected);
        }
    }

    /** What the move has left behind in either database; the server needs a moment to end the sessions of a closed mover. */
    private List<List<String>> leftovers() {
        return Stream.of(here, there)
                .flatMap(database -> database.server().query(database.name(), FailoverPair.leftoversSql(task)).stream())
                .toList();
    }

    @Override
    public void close() {
        source.close();
        target.close();
    }
}
