package io.shardwright.meaning;

import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.crds.shardcluster.ShardClusterSpec;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardKey;
import io.shardwright.routing.UnroutableKeyException;
import java.util.SortedSet;
import java.util.TreeSet;

/** A BucketMove in the types of contract and planning. */
public final class Moves {
    /** The bucket of a text that is no key of the cluster; a move of it is refused before it begins. */
    public static final int NOWHERE = -1;

    private Moves() {}

    /** What the move carries. Keys are taken as they are written: a spelling that is not canonical is another key, of no bucket. */
    public static SortedSet<Scope> scopes(BucketMoveSpec spec, KeyType type, Bucketing bucketing) {
        SortedSet<Scope> scopes = new TreeSet<>(Scope.buckets(spec.buckets()));
        spec.keys()
                .forEach(key -> scopes.add(
                        isCanonical(key, type)
                                ? Scope.of(new ShardKey(type, key), bucketing)
                                : Scope.key(key, NOWHERE)));
        return scopes;
    }

    public static SortedSet<Scope> scopes(BucketMoveSpec spec, ShardClusterSpec cluster) {
        return scopes(spec, Clusters.keyType(cluster), Clusters.bucketing(cluster));
    }

    /** The text is a key of this type, written as the contract says. */
    public static boolean isCanonical(String key, KeyType type) {
        try {
            return ShardKey.of(type, key).text().equals(key);
        } catch (UnroutableKeyException e) {
            return false;
        }
    }
}
