package io.shardwright.e2e.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.shardwright.routing.Role;
import io.shardwright.servers.BriefJvm;
import io.shardwright.stage.Stage;
import io.shardwright.stage.kubelet.RouterProcess;
import io.shardwright.stage.kubelet.RouterSpec;
import io.shardwright.stage.ledger.LedgerLine;
import io.shardwright.stage.ledger.LedgerReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Worker and web processes of the sample application with open-loop load, each a pod of its own. */
public final class LiveLoad {
    private static final String MAIN = "io.shardwright.stage.workload.OrdersRouter";
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration STEADY_LIMIT = Duration.ofSeconds(120);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(20);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Stage stage;
    private final Shape shape;
    private final List<RouterProcess> routers = new ArrayList<>();

    /**
     * @param workers background processes
     * @param webs web processes
     * @param operationsPerSecond of all processes together; an operation changes one row, or two in a transaction
     */
    public record Shape(int workers, int webs, int operationsPerSecond) {
        double ofEach() {
            return (double) operationsPerSecond / (workers + webs);
        }
    }

    private LiveLoad(Stage stage, Shape shape) {
        this.stage = stage;
        this.shape = shape;
    }

    /** Starts all processes and returns when they write at their rate. */
    public static LiveLoad start(Stage stage, Shape shape) {
        var load = new LiveLoad(stage, shape);
        for (int i = 0; i < shape.workers(); i++) {
            load.join("orders-worker-" + i, Role.WORKER, shape.ofEach());
        }
        for (int i = 0; i < shape.webs(); i++) {
            load.join("orders-web-" + i, Role.WEB, shape.ofEach());
        }
        stage.await("the load to be steady", STEADY_LIMIT, load::steady);
        return load;
    }

    /** One more process, with a rate of its own. */
    public RouterProcess join(String name, Role role, double operationsPerSecond) {
        var arguments = List.of(
                "--router", Integer.toString(routers.size() + 1),
                "--rate", Double.toString(operationsPerSecond),
                "--buckets", Integer.toString(stage.layout().buckets()),
                "--tenants-per-bucket", Integer.toString(stage.layout().tenantsPerBucket()));
        var jvm = new ArrayList<>(BriefJvm.options());
        jvm.add("-Xmx192m");
        RouterSpec spec = RouterSpec.java(name, role, MAIN, jvm, arguments);
        // every other one lives from the feed alone, so that nothing hides a feed that is dead
        RouterProcess router = stage.start(routers.size() % 2 == 0 ? spec : spec.withoutTable());
        routers.add(router);
        // one after the other: cold processes side by side would stand in each other's way
        stage.await(name + " to write", START_LIMIT, () -> writes(router));
        return router;
    }

    /** Cold processes fall behind their rate at first: steady when five seconds of it are done and next to nothing waits. */
    private boolean steady() {
        Counters counters = counters();
        return counters.acknowledged() > 5L * shape.operationsPerSecond()
                && counters.underWay() <= shape.operationsPerSecond() / 5;
    }

    private static boolean writes(RouterProcess router) {
        if (!router.isRunning()) {
            throw new IllegalStateException(router.process().evidence());
        }
        return counters(router).map(counters -> counters.acknowledged() > 0).orElse(false);
    }

    /** From now on half of the writes go to these buckets. */
    public void aimAt(Collection<Integer> buckets) {
        tell("hot-buckets", buckets);
    }

    /** From now on half of the writes are these tenants', and of none in particular when there are none. */
    public void writeHard(Collection<Long> tenants) {
        tell("hot-tenants", tenants);
    }

    private void tell(String file, Collection<?> hot) {
        String text = hot.stream().map(String::valueOf).collect(Collectors.joining(","));
        for (RouterProcess router : routers) {
            try {
                Path next = Files.writeString(router.directory().resolve(file + ".next"), text);
                Files.move(next, router.directory().resolve(file), StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Stops all processes in good order; those that were killed or frozen before are left as they are. */
    public void stop() {
        routers.stream()
                .filter(RouterProcess::isRunning)
                .forEach(router -> router.process().terminate(STOP_LIMIT));
    }

    /** Every operation of every process. */
    public List<LedgerLine> ledger() {
        return LedgerReader.read(routers.stream()
                .map(router -> router.directory().resolve("ledger.tsv"))
                .toList());
    }

    /** The counters of all processes together. */
    public Counters counters() {
        return routers.stream()
                .map(router -> counters(router).orElse(Counters.NONE))
                .reduce(Counters.NONE, Counters::plus);
    }

    private static Optional<Counters> counters(RouterProcess router) {
        Path file = router.directory().resolve("workload.json");
        try {
            return Files.exists(file) ? Optional.of(JSON.readValue(file.toFile(), Counters.class)) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // it is being replaced: the next look sees it
        }
    }
}
