package io.shardwright.operator;

import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.shardwright.servers.PostgresServer;
import io.shardwright.servers.ScramSecret;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A ShardCluster {@code orders} of one real PostgreSQL server, prepared by the shipped script. */
final class OneShardCluster implements AutoCloseable {
    private static final String PASSWORD = "secret-0f1e2d3c";

    private final PostgresServer server = PostgresServer.builder().name("ds-0").start();
    private final Cluster cluster;
    private final String namespace;

    OneShardCluster(Cluster cluster, String namespace) {
        this.cluster = cluster;
        this.namespace = namespace;
        server.createDatabase("shop");
        server.runScript("shop", """
                CREATE ROLE shop_owner NOLOGIN;
                CREATE TABLE orders (tenant_id bigint, id bigint, PRIMARY KEY (tenant_id, id));
                ALTER TABLE orders OWNER TO shop_owner;
                """);
        server.runScript("shop", shippedScript());
        String secret = ScramSecret.of(PASSWORD);
        server.runScript(
                "shop",
                "ALTER ROLE shardwright_operator PASSWORD '" + secret + "'; ALTER ROLE shardwright_mover PASSWORD '"
                        + secret + "'");
    }

    private static String shippedScript() {
        try {
            return Files.readString(Path.of("..", "manifests", "databases", "postgresql.sql"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String password() {
        return PASSWORD;
    }

    /** Secrets, the operator's rights on them, and the ShardCluster. */
    void declare() {
        secret("orders-op", "shardwright_operator");
        secret("orders-mover", "shardwright_mover");
        cluster.kubectl("-n", namespace, "create", "role", "shardwright-orders", "--verb=get", "--resource=secrets");
        cluster.kubectl(
                "-n",
                namespace,
                "create",
                "role",
                "shardwright-mirror",
                "--verb=get,create,update,list,watch",
                "--resource=configmaps");
        for (String role : new String[] {"shardwright-orders", "shardwright-mirror"}) {
            cluster.kubectl(
                    "-n",
                    namespace,
                    "create",
                    "rolebinding",
                    role,
                    "--role=" + role,
                    "--serviceaccount=" + Cluster.OPERATOR_NAMESPACE + ":shardwright-operator");
        }
        cluster.apply("""
                apiVersion: shardwright.io/v1alpha1
                kind: ShardCluster
                metadata: {name: orders, namespace: %s}
                spec:
                  engine: PostgreSQL
                  database: shop
                  sharding:
                    buckets: 10
                    hash: MD5
                    keyType: Int64
                    tables: [{name: orders, shardKey: tenant_id}]
                  shards:
                  - {name: ds-0, instances: [{name: a, host: %s, port: %d}]}
                  access:
                    operator: {secretRef: {name: orders-op}}
                    mover: {secretRef: {name: orders-mover}}
                    tls: {mode: Disable}
                  routers:
                  - {role: Worker, podSelector: {matchLabels: {app: orders-worker}}}
                """.formatted(namespace, server.host(), server.port()));
    }

    private void secret(String name, String username) {
        cluster.admin()
                .resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withNamespace(namespace)
                        .endMetadata()
                        .withStringData(Map.of("username", username, "password", PASSWORD))
                        .build())
                .create();
    }

    @Override
    public void close() {
        server.close();
    }
}
