package io.shardwright.operator.lifecycle;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.shardwright.operator.OperatorConfig;
import io.shardwright.operator.ProcessEnd;
import io.shardwright.operator.feed.RoutingFeed;
import io.shardwright.operator.feed.TableCache;
import io.shardwright.operator.leadership.Leadership;
import io.vertx.ext.web.Router;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/** The table of contents of the process: what is started, and what is stopped in which order. */
@Singleton
final class OperatorProcess {
    private static final Logger LOG = Logger.getLogger(OperatorProcess.class);

    private final TableCache tables;
    private final RoutingFeed feed;
    private final Leadership leadership;
    private final Controllers controllers;
    private final ProcessEnd end;
    private final Duration shutdownTimeout;

    OperatorProcess(
            TableCache tables,
            RoutingFeed feed,
            Leadership leadership,
            Controllers controllers,
            ProcessEnd end,
            OperatorConfig config) {
        this.tables = tables;
        this.feed = feed;
        this.leadership = leadership;
        this.controllers = controllers;
        this.end = end;
        this.shutdownTimeout = config.shutdownTimeout();
    }

    void attachFeed(@Observes Router router) {
        feed.attach(router);
    }

    void start(@Observes StartupEvent event) {
        tables.start();
        leadership.start();
    }

    void stop(@Observes ShutdownEvent event) {
        CountDownLatch stopped = new CountDownLatch(1);
        haltUnlessStopped(stopped);
        LOG.info("stopping");
        controllers.stop();
        leadership.resign();
        feed.close();
        tables.stop();
        stopped.countDown();
        LOG.info("stopped");
    }

    private void haltUnlessStopped(CountDownLatch stopped) {
        Thread.ofPlatform().name("stop-deadline").daemon().start(() -> {
            try {
                if (!stopped.await(shutdownTimeout.toMillis(), TimeUnit.MILLISECONDS)) {
                    end.now(
                            ProcessEnd.Cause.STOP_TIMED_OUT,
                            "not stopped within " + shutdownTimeout.toSeconds() + " s");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }
}
