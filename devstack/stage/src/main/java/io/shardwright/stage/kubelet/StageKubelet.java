package io.shardwright.stage.kubelet;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.shardwright.servers.ControlPlane;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.OwnedProcess;
import io.shardwright.servers.WorkDirectory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only node of the stage: starts router processes as pods and plays the kubelet for them. {@code kubectl delete pod}
 * sends SIGTERM and, after the grace period, SIGKILL; an exit shows in the pod's status; the token file is renewed before
 * it expires; the ConfigMap with the routing table is mounted as a file. All of it by one thread that compares what is with
 * what should be, so an outage of the API server only delays it.
 */
public final class StageKubelet implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StageKubelet.class);
    private static final Duration PASS = Duration.ofMillis(200);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);
    private static final String TABLE_KEY = "table.json";

    private final ControlPlane plane;
    private final String namespace;
    private final Map<String, String> environment;
    private final List<PodWorker> workers = new CopyOnWriteArrayList<>();
    private final List<RouterProcess> started = new CopyOnWriteArrayList<>();
    private final ScheduledThreadPoolExecutor passes = new ScheduledThreadPoolExecutor(
            1,
            Thread.ofPlatform().name("stage-kubelet").daemon().factory(),
            new ThreadPoolExecutor.DiscardPolicy()); // what comes after the end is not wanted any more
    private final SharedIndexInformer<Pod> pods;
    private final SharedIndexInformer<ConfigMap> tables;

    /**
     * Registers the node and begins.
     *
     * @param tableConfigMap the ConfigMap whose {@code table.json} every router has mounted
     * @param environment what every router is told
     */
    public StageKubelet(ControlPlane plane, String namespace, String tableConfigMap, Map<String, String> environment) {
        this.plane = plane;
        this.namespace = namespace;
        this.environment = Map.copyOf(environment);
        plane.adminClient().resource(PodObjects.node()).create();
        pods = plane.adminClient().pods().inNamespace(namespace).runnableInformer(0);
        tables = plane.adminClient()
                .configMaps()
                .inNamespace(namespace)
                .withName(tableConfigMap)
                .runnableInformer(0);
        pods.addEventHandler(onChange());
        tables.addEventHandler(onChange());
        pods.run();
        tables.run();
        passes.scheduleWithFixedDelay(this::pass, 0, PASS.toMillis(), TimeUnit.MILLISECONDS);
    }

    private <T> ResourceEventHandler<T> onChange() {
        return new ResourceEventHandler<>() {
            @Override
            public void onAdd(T object) {
                passSoon();
            }

            @Override
            public void onUpdate(T before, T now) {
                passSoon();
            }

            @Override
            public void onDelete(T object, boolean finalStateUnknown) {
                passSoon();
            }
        };
    }

    /** Creates the pod, starts the process, and returns when the pod's status says that it runs. */
    public RouterProcess start(RouterSpec spec) {
        var pod = plane.adminClient().resource(PodObjects.pod(namespace, spec)).create();
        var directory = WorkDirectory.create(spec.name());
        var files = new MountedFiles(directory);
        files.write(files.token(), PodWorker.token(plane, namespace, spec));
        files.write(files.authority(), plane.certificateAuthority().certificatePem());
        var builder = OwnedProcess.named(spec.name())
                .command(spec.command())
                .directory(directory.path())
                .log(directory.resolve(spec.name() + ".log"));
        environment.forEach(builder::environment);
        builder.environment("SHARDWRIGHT_ROLE", spec.role().wire())
                .environment("SHARDWRIGHT_CA_FILE", files.authority().toString())
                .environment("SHARDWRIGHT_TOKEN_FILE", files.token().toString())
                .environment("POD_NAME", spec.name())
                .environment("POD_UID", pod.getMetadata().getUid());
        if (spec.tableMounted()) {
            builder.environment("SHARDWRIGHT_TABLE_FILE", files.table().toString());
        }
        var router = new RouterProcess(spec, pod.getMetadata().getUid(), directory, builder.start());
        router.process().onExit().thenRun(this::passSoon);
        started.add(router);
        workers.add(new PodWorker(plane, namespace, router, files));
        Eventually.until(
                "pod " + spec.name() + " to be Running",
                Duration.ofSeconds(30),
                () -> !router.isRunning() || "Running".equals(phase(spec.name())),
                router.process()::evidence);
        return router;
    }

    private String phase(String pod) {
        var object =
                plane.adminClient().pods().inNamespace(namespace).withName(pod).get();
        return object == null || object.getStatus() == null
                ? ""
                : object.getStatus().getPhase();
    }

    private void passSoon() {
        passes.execute(this::pass);
    }

    private void pass() {
        var table = tables.getStore().list().stream()
                .map(map -> map.getData() == null ? null : map.getData().get(TABLE_KEY))
                .filter(Objects::nonNull)
                .findFirst();
        workers.removeIf(worker -> !synced(worker, table));
    }

    private boolean synced(PodWorker worker, Optional<String> table) {
        try {
            table.ifPresent(worker::mount);
            return worker.sync(pod(worker.router().name()));
        } catch (KubernetesClientException e) {
            LOG.debug("the API server did not take it; the next pass tries again", e);
            return true;
        } catch (RuntimeException e) {
            LOG.error("pod {} could not be kept true; the next pass tries again", worker.router(), e);
            return true;
        }
    }

    private Optional<Pod> pod(String name) {
        return Optional.ofNullable(pods.getStore().getByKey(namespace + "/" + name));
    }

    /** Every router that was started, in that order, gone ones included. */
    public List<RouterProcess> routers() {
        return List.copyOf(started);
    }

    public RouterProcess router(String name) {
        return routers().stream()
                .filter(router -> router.name().equals(name))
                .reduce((first, second) -> second)
                .orElseThrow(() -> new IllegalArgumentException("no router " + name + " on this stage"));
    }

    /** {@code kubectl delete pod}: returns when process and object are gone. */
    public void delete(String name, Duration grace) {
        var resource = plane.adminClient().pods().inNamespace(namespace).withName(name);
        resource.withGracePeriod(grace.toSeconds()).delete();
        Eventually.until(
                "pod " + name + " to be gone",
                grace.plus(Duration.ofSeconds(30)),
                () -> resource.get() == null && !router(name).isRunning(),
                router(name).process()::evidence);
    }

    /** Ends all routers, kindly at first, and stops keeping anything true. */
    @Override
    public void close() {
        pods.close();
        tables.close();
        passes.shutdownNow();
        routers().stream()
                .filter(RouterProcess::isRunning)
                .forEach(router -> router.process().signal("TERM"));
        routers().forEach(router -> {
            if (router.isRunning()) {
                router.process().terminate(STOP_LIMIT);
            }
            router.workDirectory().close();
        });
    }
}
