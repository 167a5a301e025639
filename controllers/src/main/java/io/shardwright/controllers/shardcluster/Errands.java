package io.shardwright.controllers.shardcluster;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.dataplane.MisplacedRowsException;
import io.shardwright.dataplane.ShardException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Long work on the shards of a cluster: one errand per cluster at a time, on its own thread, its end pushed as an event.
 * An errand that was lost with the process is simply planned again, because every one is idempotent.
 */
final class Errands implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Errands.class);

    private final Consumer<ResourceID> ended;
    private final LongSupplier nanos;
    private final Map<ResourceID, State> states = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    Errands(Consumer<ResourceID> ended, LongSupplier nanos) {
        this.ended = ended;
        this.nanos = nanos;
    }

    /** Work with an effect or a result; a failure says what was seen. */
    interface Errand {
        void run() throws ShardException;
    }

    /**
     * @param running the step that is being done
     * @param failed the last errand's failure; gone when the next one ends well
     */
    record State(Optional<ClusterStep> running, Optional<Failure> failed) {
        static final State IDLE = new State(Optional.empty(), Optional.empty());
    }

    /**
     * What went wrong.
     *
     * @param misplaced rows were found where they do not belong
     * @param took how long the errand was at work: one that read whole tables is not repeated at once
     * @param endedNanos monotonic time of the failure
     */
    record Failure(
            ClusterStep step, String message, boolean lasting, boolean misplaced, Duration took, long endedNanos) {}

    State state(ResourceID cluster) {
        return states.getOrDefault(cluster, State.IDLE);
    }

    /** @return false when another errand of the cluster is still under way; nothing is started then */
    boolean start(ResourceID cluster, ClusterStep step, Errand errand) {
        boolean[] mine = {false};
        states.compute(cluster, (id, before) -> {
            if (before != null && before.running().isPresent()) {
                return before;
            }
            mine[0] = true;
            return new State(Optional.of(step), before == null ? Optional.empty() : before.failed());
        });
        if (mine[0]) {
            threads.execute(() -> run(cluster, step, errand));
        }
        return mine[0];
    }

    private void run(ResourceID cluster, ClusterStep step, Errand errand) {
        Optional<Failure> failure = Optional.empty();
        long begun = nanos.getAsLong();
        try {
            errand.run();
        } catch (ShardException e) {
            failure = Optional.of(failure(step, e.getMessage(), e, begun));
        } catch (RuntimeException e) {
            LOG.warn("errand failed: cluster={} step={}", cluster, step, e);
            failure = Optional.of(failure(step, e.toString(), e, begun));
        }
        State next = new State(Optional.empty(), failure);
        states.computeIfPresent(cluster, (id, before) -> next);
        ended.accept(cluster);
    }

    private Failure failure(ClusterStep step, String message, Exception e, long begun) {
        long now = nanos.getAsLong();
        return new Failure(
                step,
                message,
                e instanceof ShardException shard && shard.lasting(),
                e instanceof MisplacedRowsException,
                Duration.ofNanos(now - begun),
                now);
    }

    void forget(ResourceID cluster) {
        states.remove(cluster);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
