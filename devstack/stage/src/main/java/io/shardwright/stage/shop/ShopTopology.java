package io.shardwright.stage.shop;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.shardwright.stage.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;

/**
 * The ShardCluster {@code orders}: the shipped example with the endpoints, and the number of buckets and shards, of this
 * stage.
 */
public final class ShopTopology {
    public static final String NAMESPACE = "shop";
    public static final String CLUSTER = "orders";
    public static final String OPERATOR_SECRET = "orders-op";
    public static final String MOVER_SECRET = "orders-mover";
    public static final String AUTHORITY_SECRET = "orders-ca";
    private static final KubernetesSerialization YAML = new KubernetesSerialization();

    private final ObjectNode example;

    public ShopTopology(Checkout checkout) {
        var file = checkout.manifests().resolve("examples/shop/five-shards.yaml");
        try {
            example = YAML.unmarshal(Files.readString(file), ObjectNode.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As YAML, with exactly these shards, all of them General. */
    public String yaml(int buckets, List<ShardDatabase> general) {
        return yaml(buckets, general, List.of());
    }

    /** As YAML, with exactly these shards. */
    public String yaml(int buckets, List<ShardDatabase> general, List<ShardDatabase> dedicated) {
        var cluster = example.deepCopy();
        var spec = (ObjectNode) cluster.get("spec");
        ((ObjectNode) spec.get("sharding")).put("buckets", buckets);
        var list = spec.putArray("shards");
        general.forEach(shard -> add(list, shard, "General"));
        dedicated.forEach(shard -> add(list, shard, "Dedicated"));
        return YAML.asYaml(cluster);
    }

    private static void add(ArrayNode list, ShardDatabase shard, String role) {
        list.addObject()
                .put("name", shard.name())
                .put("role", role)
                .putArray("instances")
                .addObject()
                .put("name", "a")
                .put("host", shard.server().host())
                .put("port", shard.server().port());
    }
}
