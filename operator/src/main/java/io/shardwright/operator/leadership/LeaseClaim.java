package io.shardwright.operator.leadership;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * One identity's claim on one Lease. Each write carries the resourceVersion that was read, so of two writers one fails.
 * Used by one thread.
 */
final class LeaseClaim {
    private final Resource<Lease> lease;
    private final KubernetesClient client;
    private final String namespace;
    private final String name;
    private final String holder;
    private final Duration duration;
    private final LongSupplier nanos;
    private String seenVersion = "";
    private long seenSince;

    LeaseClaim(
            KubernetesClient client,
            String namespace,
            String name,
            String holder,
            Duration duration,
            LongSupplier nanos) {
        this.client = client;
        this.namespace = namespace;
        this.name = name;
        this.holder = holder;
        this.duration = duration;
        this.nanos = nanos;
        this.lease = client.leases().inNamespace(namespace).withName(name);
    }

    /** What a try found. */
    sealed interface Outcome {
        record Held() implements Outcome {}

        /** @param holder may be empty: free, but another one was faster */
        record HeldByOther(String holder) implements Outcome {}
    }

    /**
     * Takes the Lease if it is free, renews it if it is ours.
     *
     * @throws io.fabric8.kubernetes.client.KubernetesClientException when the API server did not answer or refused; then
     *     nothing is known
     */
    Outcome takeOrRenew() {
        Lease current = lease.get();
        if (current == null) {
            client.leases()
                    .inNamespace(namespace)
                    .resource(new LeaseBuilder()
                            .withNewMetadata()
                            .withNamespace(namespace)
                            .withName(name)
                            .endMetadata()
                            .withSpec(taken(0))
                            .build())
                    .create();
            return new Outcome.Held();
        }
        LeaseSpec spec = Optional.ofNullable(current.getSpec()).orElseGet(LeaseSpec::new);
        String owner = Optional.ofNullable(spec.getHolderIdentity()).orElse("");
        if (owner.equals(holder)) {
            spec.setRenewTime(now());
            update(current);
            return new Outcome.Held();
        }
        if (owner.isEmpty() || unchangedFor(current, spec)) {
            current.setSpec(
                    taken(Optional.ofNullable(spec.getLeaseTransitions()).orElse(0) + 1));
            update(current);
            return new Outcome.Held();
        }
        return new Outcome.HeldByOther(owner);
    }

    /** Gives the Lease away if it is ours, so that the next one need not wait. */
    void release() {
        Lease current = lease.get();
        if (current == null
                || current.getSpec() == null
                || !holder.equals(current.getSpec().getHolderIdentity())) {
            return;
        }
        current.getSpec().setHolderIdentity("");
        current.getSpec().setLeaseDurationSeconds(1);
        current.getSpec().setRenewTime(now());
        update(current);
    }

    private void update(Lease changed) {
        client.leases().inNamespace(namespace).resource(changed).update();
    }

    private LeaseSpec taken(int transitions) {
        LeaseSpec spec = new LeaseSpec();
        spec.setHolderIdentity(holder);
        spec.setLeaseDurationSeconds((int) duration.toSeconds());
        spec.setAcquireTime(now());
        spec.setRenewTime(now());
        spec.setLeaseTransitions(transitions);
        return spec;
    }

    /** True when this process has seen this very version for as long as its holder asked for, and for our own duration. */
    private boolean unchangedFor(Lease current, LeaseSpec spec) {
        String version = current.getMetadata().getResourceVersion();
        if (!version.equals(seenVersion)) {
            seenVersion = version;
            seenSince = nanos.getAsLong();
            return false;
        }
        Duration asked = Duration.ofSeconds(
                Optional.ofNullable(spec.getLeaseDurationSeconds()).orElse(0));
        Duration wait = asked.compareTo(duration) > 0 ? asked : duration;
        return nanos.getAsLong() - seenSince > wait.toNanos();
    }

    /** For people and for tools; nothing here compares wall clocks. */
    private static ZonedDateTime now() {
        return ZonedDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.MICROS);
    }
}
