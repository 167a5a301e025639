package io.shardwright.operator.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.shardwright.operator.Cluster;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The claim against a real API server, with clocks of its own. */
@ExtendWith(Cluster.Extension.class)
class LeaseClaimIT {
    private static final Duration DURATION = Duration.ofSeconds(15);

    private final Cluster cluster;
    private final AtomicLong nanos = new AtomicLong();
    private final LeaseClaim first;
    private final LeaseClaim second;
    private final String name = "claims-" + System.nanoTime();

    LeaseClaimIT(Cluster cluster) {
        this.cluster = cluster;
        first = claim("first");
        second = claim("second");
    }

    private LeaseClaim claim(String holder) {
        return new LeaseClaim(cluster.admin(), "default", name, holder, DURATION, nanos::get);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void whoComesFirstHoldsTheLeaseAndRenewsIt() {
        assertThat(first.takeOrRenew()).isEqualTo(new LeaseClaim.Outcome.Held());
        assertThat(second.takeOrRenew()).isEqualTo(new LeaseClaim.Outcome.HeldByOther("first"));
        pass(DURATION);
        assertThat(first.takeOrRenew()).isEqualTo(new LeaseClaim.Outcome.Held());
        pass(Duration.ofSeconds(1));
        assertThat(second.takeOrRenew())
                .as("it was renewed after the last look")
                .isEqualTo(new LeaseClaim.Outcome.HeldByOther("first"));
    }

    @Test
    void takesALeaseOnlyAfterSeeingItUnchangedForItsDuration() {
        first.takeOrRenew();
        second.takeOrRenew();
        pass(DURATION);
        assertThat(second.takeOrRenew()).isEqualTo(new LeaseClaim.Outcome.HeldByOther("first"));
        pass(Duration.ofMillis(1));
        assertThat(second.takeOrRenew()).isEqualTo(new LeaseClaim.Outcome.Held());
        assertThat(first.takeOrRenew()).isEqualTo(new LeaseClaim.Outcome.HeldByOther("second"));
    }

    @Test
    void timestampsOfAnotherClockDoNotMatter() {
        first.takeOrRenew();
        cluster.admin().leases().inNamespace("default").withName(name).edit(lease -> {
            lease.getSpec().setRenewTime(ZonedDateTime.parse("2001-01-01T00:00:00Z"));
            return lease;
        });

        assertThat(second.takeOrRenew()).isEqualTo(new LeaseClaim.Outcome.HeldByOther("first"));
    }

    @Test
    void waitsAsLongAsTheHolderAskedFor() {
        new LeaseClaim(cluster.admin(), "default", name, "patient", DURATION.multipliedBy(2), nanos::get).takeOrRenew();
        second.takeOrRenew();
        pass(DURATION.plusSeconds(1));
        assertThat(second.takeOrRenew()).isEqualTo(new LeaseClaim.Outcome.HeldByOther("patient"));
        pass(DURATION);
        assertThat(second.takeOrRenew()).isEqualTo(new LeaseClaim.Outcome.Held());
    }

    @Test
    void aReleasedLeaseIsFreeAtOnceAndOnlyItsHolderReleasesIt() {
        first.takeOrRenew();
        second.release();
        assertThat(second.takeOrRenew()).isEqualTo(new LeaseClaim.Outcome.HeldByOther("first"));

        first.release();
        assertThat(second.takeOrRenew()).isEqualTo(new LeaseClaim.Outcome.Held());
    }

    @Test
    void aRefusedRequestIsNoOutcome() {
        var nobody = cluster.plane().kubeconfig("nobody", java.util.List.of());
        var config = io.fabric8.kubernetes.client.Config.fromKubeconfig(nobody.toFile());
        try (var client = new io.fabric8.kubernetes.client.KubernetesClientBuilder()
                .withConfig(config)
                .build()) {
            LeaseClaim refused = new LeaseClaim(client, "default", name, "nobody", DURATION, nanos::get);

            assertThatThrownBy(refused::takeOrRenew).isInstanceOf(KubernetesClientException.class);
        }
    }
}
