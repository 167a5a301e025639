package io.shardwright.controllers.world;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import java.time.Duration;
import java.util.List;

/** Reconcilers that run, configured as the process configures them. */
public final class Running implements AutoCloseable {
    private final Operator operator;

    public Running(KubernetesClient client, List<Reconciler<?>> reconcilers) {
        operator = new Operator(overrider -> overrider
                .withKubernetesClient(client)
                .withCloseClientOnStop(false)
                .checkingCRDAndValidateLocalModel(false)
                .withStopOnInformerErrorDuringStartup(false)
                .withCacheSyncTimeout(Duration.ofSeconds(20))
                .withReconciliationTerminationTimeout(Duration.ofSeconds(10))
                .withUseSSAToPatchPrimaryResource(true));
        reconcilers.forEach(operator::register);
        operator.start();
    }

    @Override
    public void close() {
        operator.stop();
    }
}
