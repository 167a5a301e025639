package io.shardwright.stage.kubelet;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.shardwright.servers.ControlPlane;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Keeps one pod object true to its process, and the process to what was asked of the pod. Level-based: {@link #sync} looks at
 * both and does what is missing, so a call that the API server did not take is made again by the next pass.
 */
final class PodWorker {
    private static final List<String> AUDIENCES = List.of("shardwright.io");

    /** The shortest that the API server gives; renewed when four fifths of it are over, as the kubelet does. */
    private static final Duration TOKEN_LIFETIME = Duration.ofSeconds(600);

    private final ControlPlane plane;
    private final String namespace;
    private final RouterProcess router;
    private final MountedFiles files;
    private final Instant started = Instant.now();
    private String mounted = "";
    private long tokenDue;
    private boolean seen;
    private boolean reported;
    private Optional<Integer> reportedExit = Optional.empty();
    private Optional<Long> killDue = Optional.empty();

    PodWorker(ControlPlane plane, String namespace, RouterProcess router, MountedFiles files) {
        this.plane = plane;
        this.namespace = namespace;
        this.router = router;
        this.files = files;
        this.tokenDue = nextToken();
    }

    RouterProcess router() {
        return router;
    }

    /** The newest routing table, as a mounted ConfigMap brings it. */
    void mount(String table) {
        if (router.spec().tableMounted() && router.isRunning() && !table.equals(mounted)) {
            files.write(files.table(), table);
            mounted = table;
        }
    }

    private static long nextToken() {
        return System.nanoTime() + TOKEN_LIFETIME.multipliedBy(4).dividedBy(5).toNanos();
    }

    static String token(ControlPlane plane, String namespace, RouterSpec spec) {
        return plane.token(namespace, spec.application(), spec.name(), AUDIENCES, TOKEN_LIFETIME.toSeconds());
    }

    /**
     * One pass.
     *
     * @param pod the object as last seen; empty when there is none
     * @return false when pod and process are both gone and there is nothing left to keep true
     */
    boolean sync(Optional<Pod> pod) {
        seen |= pod.isPresent();
        if (pod.isEmpty()) {
            if (seen && router.isRunning()) {
                router.kill(); // the object was removed by force: nothing may run without one
            }
            return !seen;
        }
        if (pod.get().getMetadata().getDeletionTimestamp() != null) {
            end(pod.get());
        } else {
            renewToken();
        }
        report();
        return true;
    }

    private void end(Pod pod) {
        if (!router.isRunning()) {
            resource()
                    .withGracePeriod(0)
                    .withPropagationPolicy(DeletionPropagation.BACKGROUND)
                    .delete();
        } else if (killDue.isEmpty()) {
            router.process().signal("TERM");
            var grace = Optional.ofNullable(pod.getMetadata().getDeletionGracePeriodSeconds())
                    .orElse(30L);
            killDue = Optional.of(System.nanoTime() + Duration.ofSeconds(grace).toNanos());
        } else if (System.nanoTime() - killDue.get() >= 0) {
            router.kill();
        }
    }

    private void renewToken() {
        if (router.isRunning() && System.nanoTime() - tokenDue >= 0) {
            files.write(files.token(), token(plane, namespace, router.spec()));
            tokenDue = nextToken();
        }
    }

    private void report() {
        var exit = router.exitCode();
        if (reported && exit.equals(reportedExit)) {
            return;
        }
        var status = PodObjects.status(started, exit);
        try {
            resource().editStatus(pod -> new PodBuilder(pod).withStatus(status).build());
        } catch (KubernetesClientException e) {
            if (e.getCode() != 404) {
                throw e;
            }
        }
        reported = true;
        reportedExit = exit;
    }

    private PodResource resource() {
        return plane.adminClient().pods().inNamespace(namespace).withName(router.name());
    }
}
