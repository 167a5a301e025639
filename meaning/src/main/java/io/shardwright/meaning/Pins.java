package io.shardwright.meaning;

import io.shardwright.crds.shardcluster.ShardClusterSpec;
import io.shardwright.crds.shardpolicy.HotKeys;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardKey;
import io.shardwright.routing.UnroutableKeyException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The pins of a policy as keys of a cluster. All of them can be obeyed or none is: a plan from the others would take the key of a
 * pin that was only misspelt back to its bucket.
 *
 * @param wanted each key with its Dedicated shard; empty when there is a fault
 * @param fault the first pin that cannot be obeyed, by its path, and what to do
 */
public record Pins(SortedMap<Scope, String> wanted, Optional<String> fault) {
    /** Of the routing table, which may have 900 KiB in all; what a policy may hold with its status, too. */
    private static final int MOST_BYTES = 400 * 1024;

    /** Quotes, colon and comma of one pin in the table. */
    private static final int AROUND = 6;

    public Pins {
        wanted = Collections.unmodifiableSortedMap(new TreeMap<>(wanted));
    }

    public static Pins of(HotKeys hotKeys, ShardClusterSpec cluster) {
        SortedMap<Scope, String> wanted = new TreeMap<>();
        SortedMap<Scope, Integer> places = new TreeMap<>();
        int place = 0;
        int bytes = hotKeys.pins().stream().mapToInt(Pins::bytes).sum();
        if (bytes > MOST_BYTES) {
            return new Pins(
                    new TreeMap<>(),
                    Optional.of("spec.hotKeys.pins: they would take " + bytes / 1024
                            + " KiB of the routing table, and may take " + MOST_BYTES / 1024
                            + ": pin fewer keys, or shorter ones"));
        }
        for (HotKeys.Pin pin : hotKeys.pins()) {
            String path = "spec.hotKeys.pins[" + place + "]";
            Optional<Scope> key = key(pin.key(), hotKeys, cluster);
            Optional<String> fault = key.isEmpty()
                    ? Optional.of(path + ".key: " + noKey(pin, hotKeys, cluster))
                    : DedicatedShards.fault(pin.shard(), cluster)
                            .map(what -> path + ".shard: " + what)
                            .or(() -> Optional.ofNullable(places.get(key.get()))
                                    .map(other -> path + ".key: it is the key of spec.hotKeys.pins[" + other
                                            + "] in another spelling: leave one of them"));
            if (fault.isPresent()) {
                return new Pins(new TreeMap<>(), fault);
            }
            wanted.put(key.get(), pin.shard());
            places.put(key.get(), place++);
        }
        return new Pins(wanted, Optional.empty());
    }

    private static int bytes(HotKeys.Pin pin) {
        return pin.key().getBytes(StandardCharsets.UTF_8).length + pin.shard().length() + AROUND;
    }

    private static Optional<Scope> key(String text, HotKeys hotKeys, ShardClusterSpec cluster) {
        Bucketing bucketing = Clusters.bucketing(cluster);
        try {
            Scope scope = Scope.of(ShardKey.of(Clusters.keyType(cluster), text), bucketing);
            return Optional.of(hotKeys.hashKeys() ? scope.hidden() : scope);
        } catch (UnroutableKeyException e) {
            return Optional.empty();
        }
    }

    private static String noKey(HotKeys.Pin pin, HotKeys hotKeys, ShardClusterSpec cluster) {
        KeyType type = Clusters.keyType(cluster);
        return (hotKeys.hashKeys() ? "the text" : "'" + pin.key() + "'") + " is no key of type " + type.wire() + ": "
                + switch (type) {
                    case INT64 -> "write a whole number of 64 bits, like '42'";
                    case UUID -> "write a UUID, like 0191d0a4-7a4e-7c3b-9d6e-2f1b8c9d0e1f";
                    case STRING -> "write a text without U+0000";
                };
    }
}
