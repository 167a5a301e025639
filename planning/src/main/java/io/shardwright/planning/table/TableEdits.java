package io.shardwright.planning.table;

import io.shardwright.routing.Handover;
import io.shardwright.routing.Role;
import io.shardwright.routing.RoutingTable;
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
     * @param groups buckets of each group with the epoch that they will have on the target; an epoch that is not above the
     *     table's is old news and left out
     */
    public static RoutingTable announce(RoutingTable table, List<SortedMap<Integer, Long>> groups, String to) {
        requireListed(table, to);
        List<Handover> handovers = new ArrayList<>(table.handovers());
        for (SortedMap<Integer, Long> group : groups) {
            SortedMap<Integer, Long> missing = new TreeMap<>(group);
            missing.entrySet()
                    .removeIf(entry -> entry.getValue() <= table.epochs().get(entry.getKey()));
            missing.keySet().removeIf(bucket -> isHandedOver(table, bucket, to));
            if (!missing.isEmpty()) {
                drop(handovers, missing.keySet());
                handovers.add(Handover.announced(missing, to));
            }
        }
        return withHandovers(table, handovers);
    }

    /** Makes activated buckets visible to workers; those that were never announced get their entry now. */
    public static RoutingTable publishToWorkers(RoutingTable table, SortedMap<Integer, Long> epochs, String to) {
        return publish(table, epochs, to, EnumSet.of(Role.WORKER));
    }

    /** Makes activated buckets visible to both roles. */
    public static RoutingTable publishToWeb(RoutingTable table, SortedMap<Integer, Long> epochs, String to) {
        return publish(table, epochs, to, EnumSet.of(Role.WORKER, Role.WEB));
    }

    /** Writes activated buckets into the bucket map and drops their handovers. A lower epoch than the table's is ignored. */
    public static RoutingTable fold(RoutingTable table, SortedMap<Integer, Long> epochs, String to) {
        requireListed(table, to);
        Draft draft = new Draft(table);
        epochs.forEach((bucket, epoch) -> draft.own(bucket, to, epoch));
        return withHandovers(draft.done(), without(table.handovers(), epochs.keySet()));
    }

    /**
     * After an abort: the buckets stay with (or go back to) their source.
     *
     * @param epochs epochs of the fence rows on the source; an entry that the table has folded already follows them
     */
    public static RoutingTable withdraw(RoutingTable table, SortedMap<Integer, Long> epochs, String from) {
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
        SortedMap<String, SortedMap<Integer, Long>> newer = new TreeMap<>();
        truth.owners().forEach((bucket, owner) -> {
            long known = table.epochs().get(bucket);
            boolean wins = owner.epoch() > known
                    || owner.epoch() == known
                            && !owner.shard().equals(table.bucketMap().get(bucket));
            if (wins && table.shards().containsKey(owner.shard()) && !moving.contains(bucket)) {
                newer.computeIfAbsent(owner.shard(), shard -> new TreeMap<>()).put(bucket, owner.epoch());
            }
        });
        RoutingTable edited = table;
        for (Map.Entry<String, SortedMap<Integer, Long>> entry : newer.entrySet()) {
            edited = fold(edited, entry.getValue(), entry.getKey());
        }
        return edited;
    }

    private static RoutingTable publish(
            RoutingTable table, SortedMap<Integer, Long> epochs, String to, Set<Role> roles) {
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
            Handover handover, SortedMap<Integer, Long> epochs, Set<Role> roles, List<Handover> handovers) {
        SortedMap<Integer, Long> published = new TreeMap<>();
        SortedMap<Integer, Long> rest = new TreeMap<>();
        handover.buckets().forEach((bucket, epoch) -> {
            if (epochs.containsKey(bucket)) {
                published.put(bucket, Math.max(epoch, epochs.get(bucket)));
            } else {
                rest.put(bucket, epoch);
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

    private static boolean isHandedOver(RoutingTable table, int bucket, String to) {
        return table.handovers().stream()
                .anyMatch(handover ->
                        handover.to().equals(to) && handover.buckets().containsKey(bucket));
    }

    private static List<Handover> without(List<Handover> handovers, Collection<Integer> buckets) {
        List<Handover> rest = new ArrayList<>(handovers);
        drop(rest, buckets);
        return rest;
    }

    private static void drop(List<Handover> handovers, Collection<Integer> buckets) {
        handovers.replaceAll(handover -> {
            SortedMap<Integer, Long> rest = new TreeMap<>(handover.buckets());
            rest.keySet().removeAll(buckets);
            return rest.size() == handover.buckets().size()
                    ? handover
                    : new Handover(rest, handover.to(), handover.visibleTo());
        });
        handovers.removeIf(handover -> handover.buckets().isEmpty());
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
