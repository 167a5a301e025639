package io.shardwright.stage;

import static io.shardwright.stage.shop.ShopTopology.NAMESPACE;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.shardwright.servers.AuditLog;
import io.shardwright.servers.CommandResult;
import io.shardwright.servers.ControlPlane;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.OwnedProcess;
import io.shardwright.servers.PostgresServer;
import io.shardwright.stage.kubelet.RouterProcess;
import io.shardwright.stage.kubelet.RouterSpec;
import io.shardwright.stage.kubelet.StageKubelet;
import io.shardwright.stage.operator.Installation;
import io.shardwright.stage.operator.OperatorProcess;
import io.shardwright.stage.shop.ShardDatabase;
import io.shardwright.stage.shop.ShopDatabases;
import io.shardwright.stage.shop.ShopLayout;
import io.shardwright.stage.shop.ShopTopology;
import io.shardwright.stage.truth.FenceTruth;
import io.shardwright.stage.truth.LeakCheck;
import io.shardwright.stage.truth.OwnerWatch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The stage, set up as a team would find it on the first day: databases with data, a Kubernetes API with Shardwright
 * installed, logins in Secrets; no ShardCluster yet, no router, and the operator not started.
 *
 * <pre>{@code
 * try (var stage = Stage.builder().layout(ShopLayout.ordinary(4)).spares(1).start()) {
 *     stage.startOperator();
 *     stage.applyTopology(4);
 *     stage.start(RouterSpec.java("worker-0", Role.WORKER, "...", List.of(), List.of()));
 *     stage.await("the cluster to be Ready", Duration.ofSeconds(60), () -> ...);
 * }
 * }</pre>
 *
 * {@link #close()} leaves nothing behind, and says so when it does.
 */
public final class Stage implements AutoCloseable {
    private final Checkout checkout;
    private final StageListener listener;
    private final ControlPlane plane;
    private final ShopDatabases databases;
    private final List<OperatorProcess> operators;
    private final StageKubelet kubelet;
    private final People people;
    private final ShopTopology topology;
    private final Parts parts;

    private Stage(Builder builder, Parts opened) {
        checkout = builder.checkout;
        listener = builder.listener;
        parts = opened;
        plane = opened.plane;
        databases = opened.databases;
        operators = List.copyOf(opened.operators);
        kubelet = opened.kubelet;
        people = new People(plane);
        topology = new ShopTopology(checkout);
    }

    /** What a stage is made of; every value has a default. */
    public static final class Builder {
        ShopLayout layout = ShopLayout.ordinary(4);
        int spares = 1;
        List<String> dedicated = List.of();
        int replicas = 1;
        PostgresServer.Version version = PostgresServer.Version.NEWEST;
        boolean durable;
        StageListener listener = StageListener.silent();
        Checkout checkout;

        private Builder() {}

        /** Where the data lies at the start; four shards when nothing is said. */
        public Builder layout(ShopLayout wanted) {
            layout = wanted;
            return this;
        }

        /** Databases with schema and logins but without data, for shards that join later; one when nothing is said. */
        public Builder spares(int wanted) {
            spares = wanted;
            return this;
        }

        /** Databases without data, by name, for Dedicated shards; none when nothing is said. */
        public Builder dedicated(String... names) {
            dedicated = List.of(names);
            return this;
        }

        /** Replicas of the operator, to be started later; one when nothing is said. */
        public Builder operators(int wanted) {
            replicas = wanted;
            return this;
        }

        public Builder version(PostgresServer.Version wanted) {
            version = wanted;
            return this;
        }

        /** Databases that flush every commit to the disk, as in production: for measurements. */
        public Builder durable() {
            durable = true;
            return this;
        }

        public Builder listener(StageListener wanted) {
            listener = wanted;
            return this;
        }

        public Builder checkout(Checkout wanted) {
            checkout = wanted;
            return this;
        }

        public Stage start() {
            checkout = checkout == null ? Checkout.find() : checkout;
            var parts = new Parts();
            try {
                parts.open(this);
                return new Stage(this, parts);
            } catch (RuntimeException | Error e) {
                parts.close();
                throw e;
            }
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Starts the first replica of the operator and waits until it leads. */
    public OperatorProcess startOperator() {
        var operator = operator(0);
        operator.listener(listener::says);
        operator.start();
        operator.awaitReady();
        operator.awaitLeading();
        listener.says("the operator leads (pid " + operator.process().pid() + ")");
        return operator;
    }

    /** A replica, whether it runs or not. */
    public OperatorProcess operator(int replica) {
        return operators.get(replica);
    }

    /** Applies the ShardCluster with the first {@code shards} databases, by kubectl as the engineer. */
    public CommandResult applyTopology(int shards) {
        return apply(topology(shards));
    }

    /** The ShardCluster with the first {@code shards} databases as YAML. */
    public String topology(int shards) {
        return topology.yaml(databases.layout().buckets(), databases.all().subList(0, shards));
    }

    /** {@code kubectl apply} of the ShardCluster with the first {@code general} databases, and all those that are for Dedicated shards. */
    public CommandResult applyTopologyWithDedicated(int general) {
        return apply(topology.yaml(
                databases.layout().buckets(), databases.all().subList(0, general), databases.dedicated()));
    }

    /** {@code kubectl apply -f -} as the engineer. */
    public CommandResult apply(String yaml) {
        return people.engineer().runWithInput(yaml, "apply", "-f", "-");
    }

    /** Starts a router as a pod and returns when the pod's status says that it runs. */
    public RouterProcess start(RouterSpec spec) {
        return kubelet.start(spec);
    }

    public StageKubelet kubelet() {
        return kubelet;
    }

    public People people() {
        return people;
    }

    public ControlPlane controlPlane() {
        return plane;
    }

    /** A client that may do everything. */
    public KubernetesClient client() {
        return plane.adminClient();
    }

    public ShopDatabases databases() {
        return databases;
    }

    public ShardDatabase shard(String name) {
        return databases.shard(name);
    }

    public ShopLayout layout() {
        return databases.layout();
    }

    public Checkout checkout() {
        return checkout;
    }

    /** Who owns what, as the databases say. */
    public FenceTruth truth() {
        return new FenceTruth(databases.all());
    }

    /** Begins to look for buckets with two owners, ten times a second, until it is closed. */
    public OwnerWatch watchOwners() {
        return new OwnerWatch(databases.all());
    }

    /** Everything that the API server has refused to the operator so far. */
    public List<AuditLog.Entry> operatorForbidden() {
        return plane.auditLog().forbidden(Installation.user());
    }

    /** Waits, and on failure shows objects, events and the ends of all logs. */
    public void await(String what, Duration limit, BooleanSupplier condition) {
        Eventually.until(what, limit, condition, this::evidence);
    }

    /** Objects, events and the ends of all logs. */
    public String evidence() {
        return collected().text(NAMESPACE);
    }

    /** The same and all whole logs as files: they go with the stage otherwise. */
    public void saveEvidence(Path directory) {
        var logs = new ArrayList<Path>();
        narrators().forEach(process -> logs.add(process.log()));
        plane.running().forEach(process -> logs.add(process.log()));
        databases.all().forEach(shard -> logs.add(shard.server().log()));
        logs.add(plane.auditLog().file());
        collected().save(directory, NAMESPACE, logs);
    }

    private Evidence collected() {
        return new Evidence(people.administrator(), this::narrators);
    }

    /** The processes whose logs tell the story: the operator's and the routers'. */
    private List<OwnedProcess> narrators() {
        var processes = new ArrayList<OwnedProcess>();
        operators.stream()
                .map(OperatorProcess::process)
                .filter(one -> one != null)
                .forEach(processes::add);
        kubelet.routers().forEach(router -> processes.add(router.process()));
        return processes;
    }

    private LeakCheck leakCheck() {
        var check = new LeakCheck();
        narrators().forEach(check::remember);
        plane.running().forEach(check::remember);
        databases.all().forEach(shard -> {
            shard.server().process().ifPresent(check::remember);
            check.remember(shard.server().port());
        });
        operators.forEach(operator -> check.remember(operator.feed().getPort()));
        return check;
    }

    /** Stops everything, routers first and the API server last, and looks whether anything is left. */
    @Override
    public void close() {
        var check = leakCheck();
        parts.close();
        check.verify();
    }
}
