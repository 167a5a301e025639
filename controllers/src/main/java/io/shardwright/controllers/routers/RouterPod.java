package io.shardwright.controllers.routers;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.shardwright.crds.Names;
import java.util.Map;
import java.util.Optional;

/**
 * What matters of a pod that may be a router.
 *
 * @param uid the instance id of its acknowledgements
 * @param live started and not terminated: from then on it may route, until the last container has ended
 * @param processes router processes inside, as the annotation says; each acknowledges by itself
 */
public record RouterPod(String uid, String name, Map<String, String> labels, boolean live, int processes) {
    /** How many router processes a pod runs; 1 when absent or unreadable. */
    public static final String PROCESSES_ANNOTATION = Names.ROUTERS_ANNOTATION;

    public RouterPod {
        labels = Map.copyOf(labels);
    }

    static RouterPod of(Pod pod) {
        return new RouterPod(
                pod.getMetadata().getUid(),
                pod.getMetadata().getName(),
                Optional.ofNullable(pod.getMetadata().getLabels()).orElse(Map.of()),
                started(pod) && !terminated(pod),
                processes(pod));
    }

    private static boolean started(Pod pod) {
        if (pod.getStatus() == null) {
            return false;
        }
        return "Running".equals(pod.getStatus().getPhase())
                || "Unknown".equals(pod.getStatus().getPhase())
                || Optional.ofNullable(pod.getStatus().getContainerStatuses()).stream()
                        .flatMap(java.util.List::stream)
                        .anyMatch(RouterPod::hasStarted);
    }

    private static boolean hasStarted(ContainerStatus container) {
        return Boolean.TRUE.equals(container.getStarted())
                || container.getState() != null && container.getState().getRunning() != null;
    }

    private static boolean terminated(Pod pod) {
        String phase = pod.getStatus().getPhase();
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }

    private static int processes(Pod pod) {
        String text = Optional.ofNullable(pod.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(PROCESSES_ANNOTATION))
                .orElse("1");
        try {
            return Math.max(1, Integer.parseInt(text.trim()));
        } catch (NumberFormatException e) {
            return 1;
        }
    }
}
