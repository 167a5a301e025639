package io.shardwright.stage.kubelet;

import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Pod and node objects of the stage as functions of what is so; nothing is read or written here. */
final class PodObjects {
    static final String NODE = "stage";
    private static final String CONTAINER = "router";

    private PodObjects() {}

    static Node node() {
        return new NodeBuilder().withNewMetadata().withName(NODE).endMetadata().build();
    }

    static Pod pod(String namespace, RouterSpec spec) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(spec.name())
                .withNamespace(namespace)
                .withLabels(Map.of("app", spec.application()))
                .endMetadata()
                .withNewSpec()
                .withNodeName(NODE)
                .withServiceAccountName(spec.application())
                .withRestartPolicy("Never")
                .addNewContainer()
                .withName(CONTAINER)
                .withImage("stage.invalid/" + spec.application())
                .endContainer()
                .endSpec()
                .build();
    }

    /** @param exitCode empty while the process runs */
    static PodStatus status(Instant started, Optional<Integer> exitCode) {
        var running = exitCode.isEmpty();
        var state = new ContainerStateBuilder();
        exitCode.ifPresentOrElse(
                code -> state.withNewTerminated()
                        .withExitCode(code)
                        .withReason(code == 0 ? "Completed" : "Error")
                        .withStartedAt(started.toString())
                        .endTerminated(),
                () -> state.withNewRunning().withStartedAt(started.toString()).endRunning());
        return new PodStatusBuilder()
                .withPhase(running ? "Running" : exitCode.get() == 0 ? "Succeeded" : "Failed")
                .withStartTime(started.toString())
                .addNewCondition()
                .withType("Ready")
                .withStatus(running ? "True" : "False")
                .withReason(running ? "Started" : "PodCompleted")
                .endCondition()
                .addNewContainerStatus()
                .withName(CONTAINER)
                .withImage("")
                .withImageID("")
                .withReady(running)
                .withStarted(running)
                .withRestartCount(0)
                .withState(state.build())
                .endContainerStatus()
                .build();
    }
}
