package io.shardwright.stage;

import static io.shardwright.stage.shop.ShopTopology.CLUSTER;
import static io.shardwright.stage.shop.ShopTopology.NAMESPACE;

import io.shardwright.servers.ControlPlane;
import io.shardwright.stage.kubelet.StageKubelet;
import io.shardwright.stage.operator.Installation;
import io.shardwright.stage.operator.OperatorProcess;
import io.shardwright.stage.shop.ShardDatabase;
import io.shardwright.stage.shop.ShopDatabases;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The parts of a stage: come up in order, and go down in the opposite one, routers first and the API server last. */
final class Parts implements AutoCloseable {
    ControlPlane plane;
    ShopDatabases databases;
    final List<OperatorProcess> operators = new ArrayList<>();
    StageKubelet kubelet;

    void open(Stage.Builder wanted) {
        if (wanted.replicas > 0) {
            wanted.checkout.operatorJar(); // says what is missing before anything is started in vain
        }
        wanted.listener.says("Kubernetes: etcd, API server, controller manager");
        plane = ControlPlane.start();
        wanted.listener.says("Shardwright's manifests, by kubectl");
        var installation = new Installation(plane, wanted.checkout);
        installation.product();
        installation.shop();
        wanted.listener.says("%d PostgreSQL servers, %d of them with data"
                .formatted(wanted.layout.shards() + wanted.spares + wanted.dedicated.size(), wanted.layout.shards()));
        var setup = new ShopDatabases.Setup(
                wanted.version, wanted.durable, plane.certificateAuthority(), wanted.checkout.databaseScript());
        databases = ShopDatabases.start(wanted.layout, wanted.spares, wanted.dedicated, setup);
        Logins.all(plane, databases.passwords());
        IntStream.range(0, wanted.replicas)
                .mapToObj(replica -> OperatorProcess.prepare("shardwright-operator-" + replica, wanted.checkout, plane))
                .forEach(operators::add);
        kubelet = new StageKubelet(plane, NAMESPACE, CLUSTER + "-routing", routerEnvironment());
    }

    private Map<String, String> routerEnvironment() {
        return Map.of(
                "SHARDWRIGHT_NAMESPACE",
                NAMESPACE,
                "SHARDWRIGHT_CLUSTER",
                CLUSTER,
                "SHARDWRIGHT_FEED",
                operators.stream().map(one -> one.feed().toString()).collect(Collectors.joining(",")),
                "SHOP_DATABASE",
                ShardDatabase.DATABASE,
                "SHOP_USER",
                ShardDatabase.APPLICATION_LOGIN,
                "SHOP_PASSWORD",
                databases.passwords().application());
    }

    @Override
    public void close() {
        var parts = new ArrayList<AutoCloseable>();
        parts.add(kubelet);
        parts.addAll(operators);
        parts.add(databases);
        parts.add(plane);
        Closing.all(parts);
    }
}
