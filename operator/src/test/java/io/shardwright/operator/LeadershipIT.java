package io.shardwright.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who leads, and what becomes of a leader that must not: real processes, real signals. */
@ExtendWith(Cluster.Extension.class)
class LeadershipIT {
    static final Map<String, String> SHORT_LEASE = Map.of(
            "SHARDWRIGHT_LEASE_DURATION", "8S",
            "SHARDWRIGHT_LEASE_RENEW_DEADLINE", "7S",
            "SHARDWRIGHT_LEASE_RETRY_PERIOD", "0.5S");

    private final Cluster cluster;

    LeadershipIT(Cluster cluster) {
        this.cluster = cluster;
    }

    @BeforeEach
    void forgetLease() {
        cluster.forgetLease();
    }

    @Test
    void onSigtermTheNextReplicaLeadsWithinSeconds() {
        try (RunningOperator first = RunningOperator.start(cluster, "first").awaitLeading();
                RunningOperator second =
                        RunningOperator.start(cluster, "second").awaitReady()) {
            assertThat(second.leads()).isFalse();

            long asked = System.nanoTime();
            first.process().signal("TERM");
            second.awaitLeading();
            Duration handover = Duration.ofNanos(System.nanoTime() - asked);

            assertThat(handover).as("a lease that is not released lasts 15 s").isLessThan(Duration.ofSeconds(10));
            assertThat(first.exitCode()).isEqualTo(143);
            assertThat(first.log()).contains("lease released", "stopped").doesNotContain("process ends at once");
            assertThat(cluster.leaseHolder()).startsWith("second_");
        }
    }

    @Test
    void aLeaderWhoseLeaseIsHeldByAnotherEndsAtOnce() {
        try (RunningOperator leader = new RunningOperator(cluster, "robbed", SHORT_LEASE).awaitLeading()) {
            cluster.admin()
                    .leases()
                    .inNamespace(Cluster.OPERATOR_NAMESPACE)
                    .withName("shardwright-operator")
                    .patch(
                            PatchContext.of(PatchType.JSON_MERGE),
                            "{\"spec\": {\"holderIdentity\": \"robber\"}}"); // whatever the leader renews meanwhile

            assertThat(leader.exitCode()).isEqualTo(1);
            assertThat(leader.log()).contains("the lease is held by robber");
        }
    }

    @Test
    void aLeaderThatWasStoppedEndsWhenItWakesUp() {
        try (RunningOperator frozen = new RunningOperator(cluster, "frozen", SHORT_LEASE).awaitLeading();
                RunningOperator next = new RunningOperator(cluster, "next", SHORT_LEASE).awaitReady()) {
            frozen.process().freeze();
            next.awaitLeading();
            frozen.process().thaw();

            assertThat(frozen.exitCode()).isEqualTo(1);
            assertThat(cluster.leaseHolder()).startsWith("next_");
            assertThat(next.leads()).isTrue();
        }
    }
}
