package io.shardwright.operator.lifecycle;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.shardwright.operator.ProcessEnd;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Runs the framework's operator from the moment this process leads until it stops. Starting is repeated until it succeeds,
 * each time with a new operator, because one that failed to start has lost its executors.
 */
final class Reconciling {
    private static final Logger LOG = Logger.getLogger(Reconciling.class);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(15);
    private static final Duration CACHE_SYNC_LIMIT = Duration.ofSeconds(20);
    private static final Duration RECONCILIATION_END_LIMIT = Duration.ofSeconds(5);

    private final KubernetesClient client;
    private final List<Reconciler<?>> reconcilers;
    private final Metrics metrics;
    private final ProcessEnd end;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final Thread starting =
            Thread.ofPlatform().name("operator-start").daemon().unstarted(this::keepStarting);
    private volatile Operator running;

    Reconciling(KubernetesClient client, List<Reconciler<?>> reconcilers, Metrics metrics, ProcessEnd end) {
        this.client = client;
        this.reconcilers = List.copyOf(reconcilers);
        this.metrics = metrics;
        this.end = end;
    }

    /** Returns at once. A leader that cannot start for an Error would stay ready and do nothing: it ends. */
    void start() {
        starting.setUncaughtExceptionHandler(
                (thread, error) -> end.now(ProcessEnd.Cause.BROKEN, "reconciling cannot start: " + error));
        starting.start();
    }

    /** Whether all caches were filled and reconciling has begun; an own flag, for asking the framework blocks until then. */
    boolean started() {
        return running != null;
    }

    /** Ends reconciling; waits a few seconds for passes that run. */
    void stop() {
        stopping.countDown();
        try {
            if (starting.isAlive()) {
                starting.interrupt();
                starting.join(RECONCILIATION_END_LIMIT.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Operator operator = running;
        if (operator != null) {
            operator.stop();
        }
    }

    private void keepStarting() {
        Duration pause = FIRST_PAUSE;
        while (!tryStart() && !stoppedWithin(pause)) {
            pause = pause.multipliedBy(2);
            pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
        }
    }

    private boolean tryStart() {
        Operator operator = newOperator();
        try {
            operator.start();
        } catch (RuntimeException e) {
            LOG.warnf("reconciling not started, trying again: cause=%s", rootCause(e));
            return false;
        }
        if (stopping.getCount() == 0) {
            operator.stop();
            return true;
        }
        running = operator;
        LOG.infof("reconciling: kinds=%d", reconcilers.size());
        return true;
    }

    private Operator newOperator() {
        Operator operator = new Operator(options -> options.withKubernetesClient(client)
                .withCloseClientOnStop(false)
                .checkingCRDAndValidateLocalModel(false)
                // start fails as long as one cache is not filled: nothing may act on a cache that never was
                .withStopOnInformerErrorDuringStartup(true)
                .withCacheSyncTimeout(CACHE_SYNC_LIMIT)
                .withReconciliationTerminationTimeout(RECONCILIATION_END_LIMIT)
                .withUseSSAToPatchPrimaryResource(true)
                .withMetrics(metrics)
                // the framework's own answer is System.exit, which hangs when the process is stopping already
                .withInformerStoppedHandler((informer, failure) -> {
                    if (failure != null && informer.hasSynced() && stopping.getCount() > 0) {
                        end.now(ProcessEnd.Cause.CACHE_LOST, informer + " died: " + failure);
                    }
                }));
        reconcilers.forEach(operator::register);
        return operator;
    }

    private boolean stoppedWithin(Duration pause) {
        try {
            return stopping.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private static Throwable rootCause(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
