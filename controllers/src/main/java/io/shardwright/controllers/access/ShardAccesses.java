package io.shardwright.controllers.access;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.shardwright.crds.ByteSize;
import io.shardwright.crds.shardcluster.Access;
import io.shardwright.crds.shardcluster.Shard;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardcluster.ShardClusterSpec;
import io.shardwright.dataplane.ShardAccess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Makes the access to shards from a ShardCluster and the Secrets that it names: by name, in its own namespace, never by
 * list or watch, so that a Role with {@code resourceNames} is enough. A Secret is read again after half a minute, and at
 * once when a database has refused its login, so a rotated password is picked up without a restart.
 */
public final class ShardAccesses {
    private static final Duration KEPT = Duration.ofSeconds(30);
    private static final Duration REFUSED_KEPT = Duration.ofSeconds(2);

    private final KubernetesClient client;
    private final LongSupplier nanos;
    private final Map<Name, Kept> secrets = new ConcurrentHashMap<>();

    public ShardAccesses(KubernetesClient client, LongSupplier nanos) {
        this.client = client;
        this.nanos = nanos;
    }

    /** What came of it. */
    public sealed interface Resolution {}

    /** One access per declared shard, in declared order. */
    public record Granted(List<ShardAccess> shards) implements Resolution {}

    /** @param message which Secret, what is wrong with it and what to do; never its content */
    public record Unreadable(String message) implements Resolution {}

    private record Name(String namespace, String name) {}

    private record Kept(Map<String, String> values, long readNanos) {}

    /** @throws KubernetesClientException when the API server cannot be asked; neither Secret nor spec is at fault then */
    public Resolution resolve(ShardCluster cluster) {
        String namespace = cluster.getMetadata().getNamespace();
        ShardClusterSpec spec = cluster.getSpec();
        try {
            ShardAccess.Login operator = login(namespace, spec.access().operator());
            ShardAccess.Login mover = login(namespace, spec.access().moverLogin());
            ShardAccess.Tls tls = tls(namespace, spec.access().tls());
            return new Granted(spec.shards().stream()
                    .map(shard -> new ShardAccess(shard.name(), endpoints(shard), spec.database(), operator, mover, tls)
                            .capacity(capacity(shard)))
                    .toList());
        } catch (UnreadableSecret e) {
            return new Unreadable(e.getMessage());
        }
    }

    private static OptionalLong capacity(Shard shard) {
        return shard.capacity() == null ? OptionalLong.empty() : OptionalLong.of(ByteSize.parse(shard.capacity()));
    }

    /** A database has refused a login: the next call reads the Secrets again, at most every two seconds. */
    public void loginRefused(ShardCluster cluster) {
        long now = nanos.getAsLong();
        secrets.entrySet()
                .removeIf(entry ->
                        entry.getKey().namespace().equals(cluster.getMetadata().getNamespace())
                                && now - entry.getValue().readNanos() > REFUSED_KEPT.toNanos());
    }

    private static List<ShardAccess.Endpoint> endpoints(Shard shard) {
        return shard.instances().stream()
                .map(instance -> new ShardAccess.Endpoint(instance.name(), instance.host(), instance.port()))
                .toList();
    }

    private ShardAccess.Login login(String namespace, Access.Login login) {
        Name name = new Name(namespace, login.secretRef().name());
        Map<String, String> values = read(name);
        return new ShardAccess.Login(value(name, values, "username"), value(name, values, "password"));
    }

    private ShardAccess.Tls tls(String namespace, Access.Tls tls) {
        ShardAccess.Tls.Mode mode = ShardAccess.Tls.Mode.valueOf(tls.mode().name());
        if (tls.caSecretRef() == null) {
            return new ShardAccess.Tls(mode, null);
        }
        Name name = new Name(namespace, tls.caSecretRef().name());
        return new ShardAccess.Tls(mode, value(name, read(name), "ca.crt"));
    }

    private static String value(Name name, Map<String, String> values, String key) {
        return Optional.ofNullable(values.get(key))
                .map(text -> new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8))
                .filter(text -> !text.isEmpty())
                .orElseThrow(() -> new UnreadableSecret("Secret " + name.name() + " has no key " + key
                        + ": add it (keys: username, password; ca.crt for TLS)"));
    }

    private Map<String, String> read(Name name) {
        Kept kept = secrets.get(name);
        long now = nanos.getAsLong();
        if (kept != null && now - kept.readNanos() < KEPT.toNanos()) {
            return kept.values();
        }
        Map<String, String> values = fetch(name);
        secrets.put(name, new Kept(values, now));
        return values;
    }

    private Map<String, String> fetch(Name name) {
        try {
            Secret secret = client.secrets()
                    .inNamespace(name.namespace())
                    .withName(name.name())
                    .get();
            if (secret == null) {
                throw new UnreadableSecret("Secret " + name.name() + " does not exist in namespace " + name.namespace()
                        + ": create it with the keys username and password (ca.crt for TLS)");
            }
            return Optional.ofNullable(secret.getData()).orElse(Map.of());
        } catch (KubernetesClientException e) {
            if (e.getCode() == 403) {
                throw new UnreadableSecret("the operator may not read Secret " + name.name() + " in namespace "
                        + name.namespace() + ": add its name to the Role and RoleBinding beside the ShardCluster");
            }
            throw e;
        }
    }

    private static final class UnreadableSecret extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private UnreadableSecret(String message) {
            super(message, null, false, false);
        }
    }
}
