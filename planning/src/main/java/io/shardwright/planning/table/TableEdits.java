package io.shardwright.planning.table;

import io.shardwright.routing.Handover;
import io.shardwright.routing.Role;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardEntry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Edits of a routing table. Each is idempotent and gives back the same instance when nothing changes, so "is there anything
 * to publish" is {@code edited != table}. None touches the order or the writer epoch: whoever stores the result gives it both.
 * A shard that buckets go to must be listed, else an IllegalArgumentException tells so.
 */
public final class TableEdits {
    private TableEdits() {}

    /**
     * Puts switch groups into the table, visible to nobody: routers connect to the target and acknowledge.
     *
     * @param groups buckets or keys of each group with the epoch that they will have on the target; an epoch that is not above
     *     the table's is old news and left out, and so is a key that the target has by the table
     */
    public static RoutingTable announce(RoutingTable table, List<SortedMap<Scope, Long>> groups, String to) {
        requireListed(table, to);
        List<Handover> handovers = new ArrayList<>(table.handovers());
        for (SortedMap<Scope, Long> group : groups) {
            SortedMap<Scope, Long> missing = new TreeMap<>(group);
            missing.entrySet().removeIf(entry -> isOld(table, entry, to));
            missing.keySet().removeIf(scope -> isHandedOver(table, scope, to));
            if (!missing.isEmpty()) {
                drop(handovers, missing.keySet());
                handovers.add(Handover.announced(missing, to));
            }
        }
        return withHandovers(table, handovers);
    }

    private static boolean isOld(RoutingTable table, Map.Entry<Scope, Long> entry, String to) {
        Scope scope = entry.getKey();
        return scope.isKey()
                ? table.owner(scope).equals(to)
                : entry.getValue() <= table.epochs().get(scope.bucket());
    }

    /** Makes activated buckets or keys visible to workers; those that were never announced get their entry now. */
    public static RoutingTable publishToWorkers(RoutingTable table, SortedMap<Scope, Long> epochs, String to) {
        return publish(table, epochs, to, EnumSet.of(Role.WORKER));
    }

    /** Makes activated buckets or keys visible to both roles. */
    public static RoutingTable publishToWeb(RoutingTable table, SortedMap<Scope, Long> epochs, String to) {
        return publish(table, epochs, to, EnumSet.of(Role.WORKER, Role.WEB));
    }

    /**
     * Writes activated buckets into the bucket map and activated keys into the pins, and drops their handovers. A lower epoch of
     * a bucket than the table's is ignored. A key that has come to the shard that owns its bucket needs no pin and loses it.
     */
    public static RoutingTable fold(RoutingTable table, SortedMap<Scope, Long> epochs, String to) {
        requireListed(table, to);
        Draft draft = new Draft(table);
        epochs.forEach((scope, epoch) -> draft.own(scope, to, epoch));
        return withHandovers(draft.done(), without(table.handovers(), epochs.keySet()));
    }

    /**
     * After an abort: the buckets or keys stay with (or go back to) their source.
     *
     * @param epochs epochs of the fence rows on the source; an entry that the table has folded already follows them
     */
    public static RoutingTable withdraw(RoutingTable table, SortedMap<Scope, Long> epochs, String from) {
        return fold(table, epochs, from);
    }

    /** The list of shards with their primaries; a shard that the table still names stays with what was known of it. */
    public static RoutingTable reconcileShards(RoutingTable table, Map<String, ShardEntry> wanted) {
        SortedMap<String, ShardEntry> shards = new TreeMap<>(wanted);
        named(table).forEach(name -> {
            ShardEntry known = table.shards().get(name);
            if (known != null) {
                shards.putIfAbsent(name, known);
            }
        });
        return shards.equals(table.shards())
                ? table
                : new Draft(table).shards(shards).done();
    }

    /**
     * Follows the fence rows: where an owner has a higher epoch than the table, the row wins, and so it does where the table
     * names somebody else with the very epoch, which only a hand could have written. Buckets without an owner, and buckets
     * with two, stay as they are. Buckets of a move that publishes by itself are left out.
     *
     * @param moving buckets whose moves edit the table themselves
     */
    public static RoutingTable reconcileOwners(RoutingTable table, Ownership truth, Set<Integer> moving) {
        SortedMap<String, SortedMap<Scope, Long>> newer = new TreeMap<>();
        truth.owners().forEach((bucket, owner) -> {
            long known = table.epochs().get(bucket);
            boolean wins = owner.epoch() > known
                    || owner.epoch() == known
                            && !owner.shard().equals(table.bucketMap().get(bucket));
            if (wins && table.shards().containsKey(owner.shard()) && !moving.contains(bucket)) {
                newer.computeIfAbsent(owner.shard(), shard -> new TreeMap<>()).put(Scope.bucket(bucket), owner.epoch());
            }
        });
        return foldAll(table, newer);
    }

    /**
     * Follows the fence rows of keys: a key with a row of its own is pinned to the shard that serves it, unless that owns its
     * bucket, too; a pin without such a row goes. Keys without an owner and with two stay as they are. A key has no epoch in the
     * table, so the caller vouches that the rows are newer than the pins.
     *
     * @param moving scopes whose moves edit the table themselves
     */
    public static RoutingTable reconcilePins(RoutingTable table, Ownership truth, Set<Scope> moving) {
        SortedMap<String, SortedMap<Scope, Long>> newer = new TreeMap<>();
        for (Scope key : table.pinned().keySet()) {
            String owner = table.bucketMap().get(key.bucket());
            if (truth.ownsAlone(owner, key.bucket()) && !truth.hasRows(key) && !moving.contains(key)) {
                newer.computeIfAbsent(owner, shard -> new TreeMap<>()).put(key, 0L);
            }
        }
        truth.keys().forEach((key, owner) -> {
            boolean other = !owner.shard().equals(table.owner(key)) && !moving.contains(key);
            if (other && table.shards().containsKey(owner.shard())) {
                newer.computeIfAbsent(owner.shard(), shard -> new TreeMap<>()).put(key, owner.epoch());
            }
        });
        return foldAll(table, newer);
    }

    private static RoutingTable foldAll(RoutingTable table, SortedMap<String, SortedMap<Scope, Long>> byShard) {
        RoutingTable edited = table;
        for (Map.Entry<String, SortedMap<Scope, Long>> entry : byShard.entrySet()) {
            edited = fold(edited, entry.getValue(), entry.getKey());
        }
        return edited;
    }

    private static RoutingTable publish(RoutingTable table, SortedMap<Scope, Long> epochs, String to, Set<Role> roles) {
        RoutingTable announced = announce(table, List.of(epochs), to);
        List<Handover> handovers = new ArrayList<>();
        for (Handover handover : announced.handovers()) {
            Set<Role> seen = EnumSet.copyOf(roles);
            seen.addAll(handover.visibleTo());
            if (handover.to().equals(to)) {
                split(handover, epochs, seen, handovers);
            } else {
                handovers.add(handover);
            }
        }
        return withHandovers(announced, handovers);
    }

    /** A handover that is published in part becomes two: what was activated with its epoch, and the rest as it was. */
    private static void split(
            Handover handover, SortedMap<Scope, Long> epochs, Set<Role> roles, List<Handover> handovers) {
        SortedMap<Scope, Long> published = new TreeMap<>();
        SortedMap<Scope, Long> rest = new TreeMap<>();
        handover.scopes().forEach((scope, epoch) -> {
            if (epochs.containsKey(scope)) {
                published.put(scope, Math.max(epoch, epochs.get(scope)));
            } else {
                rest.put(scope, epoch);
            }
        });
        if (!published.isEmpty()) {
            handovers.add(new Handover(published, handover.to(), roles));
        }
        if (!rest.isEmpty()) {
            handovers.add(new Handover(rest, handover.to(), handover.visibleTo()));
        }
    }

    private static void requireListed(RoutingTable table, String shard) {
        if (!table.shards().containsKey(shard)) {
            throw new IllegalArgumentException("shard " + shard + " is not in the table: reconcile the shards first");
        }
    }

    private static boolean isHandedOver(RoutingTable table, Scope scope, String to) {
        return table.handovers().stream()
                .anyMatch(handover ->
                        handover.to().equals(to) && handover.scopes().containsKey(scope));
    }

    private static List<Handover> without(List<Handover> handovers, Collection<Scope> scopes) {
        List<Handover> rest = new ArrayList<>(handovers);
        drop(rest, scopes);
        return rest;
    }

    private static void drop(List<Handover> handovers, Collection<Scope> scopes) {
        handovers.replaceAll(handover -> {
            SortedMap<Scope, Long> rest = new TreeMap<>(handover.scopes());
            rest.keySet().removeAll(scopes);
            return rest.size() == handover.scopes().size()
                    ? handover
                    : new Handover(rest, handover.to(), handover.visibleTo());
        });
        handovers.removeIf(handover -> handover.scopes().isEmpty());
    }

    private static RoutingTable withHandovers(RoutingTable table, List<Handover> handovers) {
        return handovers.equals(table.handovers())
                ? table
                : new Draft(table).handovers(handovers).done();
    }

    private static SortedSet<String> named(RoutingTable table) {
        SortedSet<String> names = new TreeSet<>(table.bucketMap().values());
        names.addAll(table.pins().values());
        table.handovers().forEach(handover -> names.add(handover.to()));
        return names;
    }
}
