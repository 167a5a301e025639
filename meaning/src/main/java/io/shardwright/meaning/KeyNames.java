package io.shardwright.meaning;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardClusterSpec;
import io.shardwright.crds.shardpolicy.HotKeys;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The keys behind the texts of a status, which shows a key as its SHA-256 with hashKeys: the key itself is then known of a pin, of the
 * routing table, of a move, or of a router that has just asked for it.
 */
public final class KeyNames {
    private static final String HASHED = "sha256:[0-9a-f]{64}";

    private final ShardClusterSpec cluster;
    private final boolean hashKeys;
    private final List<String> texts = new ArrayList<>();
    private Map<String, String> byHash;

    private KeyNames(ShardClusterSpec cluster, boolean hashKeys) {
        this.cluster = cluster;
        this.hashKeys = hashKeys;
    }

    public static KeyNames of(
            ShardClusterSpec cluster, RoutingTable table, Optional<ShardPolicy> policy, Collection<BucketMove> moves) {
        HotKeys hotKeys = policy.map(one -> one.getSpec().hotKeys()).orElse(HotKeys.NONE);
        KeyNames names = new KeyNames(cluster, hotKeys.hashKeys());
        names.texts.addAll(table.pins().keySet());
        Pins.of(hotKeys, cluster)
                .wanted()
                .keySet()
                .forEach(key -> names.texts.add(key.key().orElseThrow()));
        moves.forEach(move -> names.texts.addAll(move.getSpec().keys()));
        return names;
    }

    /** With these keys, too. */
    public KeyNames and(Collection<String> more) {
        texts.addAll(more);
        return this;
    }

    /** The key that a status shows so; empty when it is shown as a hash and nobody knows it, or is none of the cluster. */
    public Optional<Scope> shown(String text) {
        return text.matches(HASHED) ? Optional.ofNullable(byHash().get(text)).flatMap(this::written) : written(text);
    }

    /** The key of a canonical text; empty when it is none of the cluster. */
    public Optional<Scope> written(String text) {
        KeyType type = Clusters.keyType(cluster);
        if (!Moves.isCanonical(text, type)) {
            return Optional.empty();
        }
        Scope key = Scope.of(new ShardKey(type, text), Clusters.bucketing(cluster));
        return Optional.of(hashKeys ? key.hidden() : key);
    }

    private Map<String, String> byHash() {
        if (byHash == null) {
            byHash = new HashMap<>();
            texts.forEach(text -> byHash.put(Scope.key(text, 0).hidden().toString(), text));
        }
        return byHash;
    }
}
