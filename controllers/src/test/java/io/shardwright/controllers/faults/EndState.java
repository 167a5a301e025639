package io.shardwright.controllers.faults;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.shardwright.controllers.RunningRoom;
import io.shardwright.controllers.resources.TableResources;
import io.shardwright.controllers.world.ApiServer;
import io.shardwright.controllers.world.Shop;
import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.routingtable.RoutingTableSpec;
import io.shardwright.meaning.Tables;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.RoutingTableCodec;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How a room stands, without what two runs do not have in common: times, names that the server gives, figures of an operator
 * that has died, and which of its terms wrote last.
 */
record EndState(SortedMap<String, String> aspects) {
    private static final String PHASE = "phase";
    private static final String CLUSTER = "cluster";
    private static final String OPEN_MOVERS = "open movers";
    private static final String COPY = "the copy is the table";

    /** What is so when nobody has anything left to do: one shard has given a bucket to another that needed none. */
    private static final Map<String, String> AT_REST = Map.of(
            PHASE,
            "Succeeded",
            CLUSTER,
            "Progressing=False Settled, Ready=False OutOfBalance",
            OPEN_MOVERS,
            "0",
            COPY,
            "true");

    private static final List<String> SHARDS = List.of("ds-0", "ds-1", "ds-2", "ds-3");

    /** @param effects of the movers */
    static EndState of(RunningRoom room, String move, List<String> effects) {
        SortedMap<String, String> aspects = new TreeMap<>();
        room.shop().move(move).ifPresent(object -> move(aspects, object));
        room.shop().table().ifPresent(object -> table(aspects, object, room.shop()));
        aspects.put(CLUSTER, cluster(room.shop()));
        aspects.put("finalizers of the cluster", finalizers(room.shop().cluster()));
        SHARDS.forEach(shard ->
                aspects.put("fence of " + shard, fence(room.world().fence(shard).values())));
        aspects.put("done by movers", String.join(", ", effects));
        aspects.put(OPEN_MOVERS, String.valueOf(room.movers().open()));
        aspects.put("objects", objects(room.shop()));
        return new EndState(aspects);
    }

    private static void move(Map<String, String> aspects, BucketMove object) {
        aspects.put("finalizers of the move", finalizers(object));
        BucketMoveStatus status = object.getStatus();
        if (status == null) {
            return;
        }
        aspects.put(PHASE, status.phase());
        aspects.put("conditions", conditions(status.conditions()));
        aspects.put("point of no return", String.valueOf(status.pointOfNoReturn()));
        aspects.put("next action", String.valueOf(status.nextAction()));
        aspects.put("blocked by", String.valueOf(status.blockedBy()));
        aspects.put("reversal", String.valueOf(status.reversal()));
        aspects.put(
                "observed",
                String.valueOf(Objects.equals(
                        status.observedGeneration(), object.getMetadata().getGeneration())));
        aspects.put(
                "history",
                status.history().stream().map(BucketMoveStatus.Transition::to).collect(Collectors.joining(", ")));
    }

    private static void table(Map<String, String> aspects, RoutingTable object, Shop shop) {
        RoutingTableSpec spec = object.getSpec();
        aspects.put("map", spec.bucketMap() + " " + spec.epochs() + " " + spec.handovers() + " " + spec.pins());
        aspects.put("order", spec.incarnation() + "." + spec.revision());
        String copy = ApiServer.get()
                .admin()
                .configMaps()
                .inNamespace(shop.namespace())
                .withName(TableResources.configMapName("orders"))
                .get()
                .getData()
                .get(TableResources.CONFIG_MAP_KEY);
        aspects.put(
                COPY,
                String.valueOf(RoutingTableCodec.encode(Tables.table(object)).equals(copy)));
    }

    private static String cluster(Shop shop) {
        return Stream.of(ConditionType.PROGRESSING, ConditionType.READY)
                .flatMap(type -> shop.clusterCondition(type).stream())
                .map(EndState::said)
                .collect(Collectors.joining(", "));
    }

    private static String conditions(List<Condition> conditions) {
        return conditions.stream().map(EndState::said).sorted().collect(Collectors.joining(", "));
    }

    private static String said(Condition condition) {
        return condition.type() + "=" + condition.status() + " " + condition.reason();
    }

    private static String finalizers(HasMetadata object) {
        return String.join(", ", object.getMetadata().getFinalizers());
    }

    private static String fence(Collection<FenceRow> rows) {
        return rows.stream()
                .map(row -> row.bucket() + " " + row.state() + " " + row.epoch() + " " + row.owner()
                        + (row.moveId() == null ? "" : " by the move"))
                .collect(Collectors.joining(", "));
    }

    private static String objects(Shop shop) {
        var admin = ApiServer.get().admin();
        return Stream.of(
                        shop.moves(),
                        admin.resources(RoutingTable.class)
                                .inNamespace(shop.namespace())
                                .list()
                                .getItems(),
                        admin.configMaps().inNamespace(shop.namespace()).list().getItems(),
                        admin.secrets().inNamespace(shop.namespace()).list().getItems())
                .<HasMetadata>flatMap(list -> list.stream())
                .map(one -> one.getKind() + " " + one.getMetadata().getName())
                .sorted()
                .collect(Collectors.joining(", "));
    }

    /** The move has succeeded, and nobody has anything left to do. */
    boolean isAtRest() {
        return aspects.entrySet().containsAll(AT_REST.entrySet());
    }

    /** What is not as there; empty when all is. */
    List<String> differences(EndState wanted) {
        return Stream.concat(aspects.keySet().stream(), wanted.aspects.keySet().stream())
                .distinct()
                .filter(aspect -> !is(aspect).equals(wanted.is(aspect)))
                .map(aspect -> aspect + ": " + is(aspect) + " instead of " + wanted.is(aspect))
                .toList();
    }

    private String is(String aspect) {
        return Optional.ofNullable(aspects.get(aspect)).orElse("nothing");
    }
}
