package io.shardwright.controllers.world;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Reconcilers that run, configured as the process configures them. */
public final class Running implements AutoCloseable {
    private final Operator operator;

    /** @param namespaces those whose objects are reconciled */
    public Running(KubernetesClient client, List<Reconciler<?>> reconcilers, Set<String> namespaces) {
        operator = new Operator(overrider -> overrider
                .withKubernetesClient(client)
                .withCloseClientOnStop(false)
                .checkingCRDAndValidateLocalModel(false)
                .withStopOnInformerErrorDuringStartup(false)
                .withCacheSyncTimeout(Duration.ofSeconds(20))
                .withReconciliationTerminationTimeout(Duration.ofSeconds(10))
                .withUseSSAToPatchPrimaryResource(true));
        reconcilers.forEach(
                reconciler -> operator.register(reconciler, controller -> controller.settingNamespaces(namespaces)));
        operator.start();
    }

    @Override
    public void close() {
        operator.stop();
    }
}
