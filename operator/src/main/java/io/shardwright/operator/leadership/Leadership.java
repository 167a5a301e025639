package io.shardwright.operator.leadership;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.shardwright.operator.ProcessEnd;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Whether this process leads. It leads at most once: losing the Lease ends the process ({@link ProcessEnd}), unless it is
 * resigning anyway. Thread-safe.
 */
public final class Leadership {
    private static final Logger LOG = Logger.getLogger(Leadership.class);
    private static final Duration WATCH_INTERVAL = Duration.ofMillis(100);
    private static final Duration RESIGN_LIMIT = Duration.ofSeconds(5);

    private final LeaseClaim claim;
    private final LeaseTimings timings;
    private final String identity;
    private final Runnable elected;
    private final ProcessEnd end;
    private final CountDownLatch resigning = new CountDownLatch(1);
    private final Thread claiming = Thread.ofPlatform().name("lease").daemon().unstarted(this::keepClaiming);
    private final Thread watching =
            Thread.ofPlatform().name("lease-deadline").daemon().unstarted(this::watchDeadline);
    private volatile boolean leading;
    private volatile long renewedAt;
    private String lastHolder = "";

    /**
     * @param identity unique to this process
     * @param elected called once, on a thread of this class, when this process begins to lead; must return at once
     */
    public Leadership(
            KubernetesClient client,
            String namespace,
            String name,
            String identity,
            LeaseTimings timings,
            Runnable elected,
            ProcessEnd end) {
        this.claim = new LeaseClaim(client, namespace, name, identity, timings.duration(), System::nanoTime);
        this.timings = timings;
        this.identity = identity;
        this.elected = elected;
        this.end = end;
    }

    public void start() {
        claiming.start();
        watching.start();
    }

    /** Whether the threads of this class do their work; false before {@link #start()}. */
    public boolean alive() {
        return claiming.isAlive() && watching.isAlive();
    }

    public boolean leading() {
        return leading;
    }

    /** Whether this process leads and has renewed its Lease so recently; measured from before the renewing request. */
    public boolean renewedWithin(Duration limit) {
        return leading && System.nanoTime() - renewedAt < limit.toNanos();
    }

    /** Seconds since the last renewal; 0 when not leading. */
    public double secondsSinceRenewal() {
        return leading ? (System.nanoTime() - renewedAt) / 1e9 : 0;
    }

    /** Stops claiming and gives the Lease away. To be called after everything that acts has stopped. */
    public void resign() {
        boolean held = leading;
        leading = false;
        resigning.countDown();
        try {
            claiming.join(RESIGN_LIMIT.toMillis());
            if (held && !claiming.isAlive()) {
                claim.release();
                LOG.infof("lease released: identity=%s", identity);
            }
        } catch (KubernetesClientException e) {
            LOG.warnf("lease not released, it will run out: identity=%s cause=%s", identity, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void keepClaiming() {
        do {
            tryOnce();
        } while (!resignedWithin(timings.retryPeriod()));
    }

    private void tryOnce() {
        long asked = System.nanoTime();
        try {
            switch (claim.takeOrRenew()) {
                case LeaseClaim.Outcome.Held held -> held(asked);
                case LeaseClaim.Outcome.HeldByOther other -> heldByOther(other.holder());
            }
        } catch (KubernetesClientException e) {
            LOG.warnf("lease not reached: leading=%s cause=%s", leading, e.getMessage());
        } catch (RuntimeException e) {
            LOG.errorf(e, "lease not tried: leading=%s", leading);
        }
    }

    private void held(long asked) {
        renewedAt = asked;
        if (!leading
                && resigning.getCount() > 0
                && System.nanoTime() - asked < timings.renewDeadline().toNanos()) {
            leading = true;
            LOG.infof("leading: identity=%s", identity);
            elected.run();
        }
    }

    private void heldByOther(String holder) {
        if (leading) {
            lost("the lease is held by " + holder);
        }
        if (!holder.equals(lastHolder)) {
            lastHolder = holder;
            LOG.infof("following: leader=%s identity=%s", holder, identity);
        }
    }

    private void watchDeadline() {
        while (!resignedWithin(WATCH_INTERVAL)) {
            if (leading && !renewedWithin(timings.renewDeadline())) {
                lost("the lease was not renewed for " + timings.renewDeadline().toSeconds() + " s");
            }
        }
    }

    private void lost(String why) {
        if (resigning.getCount() > 0) {
            leading = false;
            end.now(ProcessEnd.Cause.LEASE_LOST, why);
        }
    }

    private boolean resignedWithin(Duration time) {
        try {
            return resigning.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
