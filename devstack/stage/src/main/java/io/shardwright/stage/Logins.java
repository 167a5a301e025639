package io.shardwright.stage;

import static io.shardwright.stage.shop.ShopTopology.AUTHORITY_SECRET;
import static io.shardwright.stage.shop.ShopTopology.MOVER_SECRET;
import static io.shardwright.stage.shop.ShopTopology.NAMESPACE;
import static io.shardwright.stage.shop.ShopTopology.OPERATOR_SECRET;

import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.shardwright.servers.ControlPlane;
import io.shardwright.stage.shop.Passwords;
import java.util.Map;

/** The Secrets that the ShardCluster names: who the operator is on the databases, and whom it trusts there. */
final class Logins {
    private Logins() {}

    static void all(ControlPlane plane, Passwords passwords) {
        login(plane, OPERATOR_SECRET, "shardwright_operator", passwords.operator());
        login(plane, MOVER_SECRET, "shardwright_mover", passwords.mover());
        secret(
                plane,
                AUTHORITY_SECRET,
                Map.of("ca.crt", plane.certificateAuthority().certificatePem()));
    }

    static void login(ControlPlane plane, String name, String username, String password) {
        secret(plane, name, Map.of("username", username, "password", password));
    }

    private static void secret(ControlPlane plane, String name, Map<String, String> values) {
        var secret = new SecretBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(NAMESPACE)
                .endMetadata()
                .withStringData(values)
                .build();
        plane.adminClient().resource(secret).createOr(existing -> existing.update());
    }
}
