package io.shardwright.operator.access;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.shardwright.operator.ClusterKey;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Lets routers in. Answers are remembered for a short time; while the API server cannot be asked, a token that was admitted
 * before stays good for hearing the feed, and for nothing else. Blocks while it asks; thread-safe.
 */
public final class Doorkeeper {
    private static final Logger LOG = Logger.getLogger(Doorkeeper.class);
    /** So many newcomers at once make the API server work for us; more wait a little, then try another replica. */
    private static final int REVIEWS_AT_ONCE = 16;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

    private static final int LONGEST_TOKEN = 8_192;

    private final AccessReviews reviews;
    private final Admissions admissions;
    private final long ttlNanos;
    private final Semaphore reviewing = new Semaphore(REVIEWS_AT_ONCE);

    public Doorkeeper(KubernetesClient client, String audience, Duration ttl, int kept) {
        this.reviews = new AccessReviews(client, audience);
        this.admissions = new Admissions(kept);
        this.ttlNanos = ttl.toNanos();
    }

    /** What a router wants to do. */
    public enum Wish {
        HEAR(true),
        ACKNOWLEDGE(false);

        private final boolean oldAdmissionServes;

        Wish(boolean oldAdmissionServes) {
            this.oldAdmissionServes = oldAdmissionServes;
        }
    }

    /** @param authorization the header of the request, or null */
    public Admission admit(String authorization, ClusterKey cluster, Wish wish) {
        String token = bearer(authorization);
        if (token == null) {
            return new Admission.Unauthenticated("a bearer token of a ServiceAccount is needed");
        }
        if (!cluster.wellFormed()) {
            return new Admission.Forbidden("no cluster has this name");
        }
        Optional<Admissions.Remembered> remembered = admissions.of(token, cluster);
        if (remembered.isPresent() && System.nanoTime() - remembered.get().atNanos() < ttlNanos) {
            return remembered.get().admission();
        }
        Admission fresh = ask(token, cluster);
        if (fresh instanceof Admission.Unknown && wish.oldAdmissionServes && remembered.isPresent()) {
            return remembered.get().admission();
        }
        return fresh;
    }

    private Admission ask(String token, ClusterKey cluster) {
        if (!mayReview()) {
            return new Admission.Unknown("too many tokens are being checked, try again");
        }
        try {
            long asked = System.nanoTime();
            Admission admission = reviews.review(token, cluster);
            if (admission instanceof Admission.Admitted admitted) {
                admissions.remember(token, cluster, admitted, asked);
            } else {
                admissions.forget(token, cluster);
            }
            return admission;
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
                LOG.errorf("the operator may not create reviews, see its ClusterRole: cause=%s", e.getMessage());
            } else {
                LOG.warnf("a token could not be checked: cluster=%s cause=%s", cluster, e.getMessage());
            }
            return new Admission.Unknown("the token cannot be checked now");
        } finally {
            reviewing.release();
        }
    }

    private boolean mayReview() {
        try {
            return reviewing.tryAcquire(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static String bearer(String authorization) {
        if (authorization == null || !authorization.regionMatches(true, 0, "Bearer ", 0, 7)) {
            return null;
        }
        String token = authorization.substring(7).trim();
        return token.isEmpty() || token.length() > LONGEST_TOKEN ? null : token;
    }
}
