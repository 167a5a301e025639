package io.shardwright.controllers.shardcluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.Reason;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.crds.shardcluster.ShardState;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.table.TableEdits;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardKey;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Four buckets on ds-0 and ds-1; a key of one on ds-0 has the Dedicated shard ds-hot. The rows of the fence decide. */
class PinnedKeysTest {
    private static final Scope KEY = key();
    private static final String HOT = "ds-hot";

    private static Scope key() {
        Bucketing bucketing = new Bucketing(HashFunction.MD5, 4);
        int number = 42;
        while (bucketing.bucketOf(ShardKey.of(KeyType.INT64, number)) != 0) {
            number++;
        }
        return Scope.of(ShardKey.of(KeyType.INT64, number), bucketing);
    }

    /** @param rows of the key are told before what the shards show */
    private static Sight shards(Sight rows, int weight) {
        return rows.declared("ds-0")
                .declared("ds-1")
                .dedicated(HOT, weight)
                .sees("ds-0", 1, 0, 1)
                .sees("ds-1", 1, 2, 3)
                .sees(HOT, 1);
    }

    private static Sight isolated(int weight) {
        return shards(new Sight().key("ds-0", KEY, FenceState.MOVED, 2).key(HOT, KEY, FenceState.OWNED, 2), weight);
    }

    private static RoutingTable before() {
        return shards(new Sight(), 100).plan().table().orElseThrow().apply(null);
    }

    private static RoutingTable pinned() {
        return TableEdits.fold(before(), new TreeMap<>(Map.of(KEY, 2L)), HOT);
    }

    @Test
    void aTableIsMadeWithThePinsThatTheFencesShow() {
        assertThat(isolated(100).plan().table().orElseThrow().apply(null).pins())
                .isEqualTo(Map.of(KEY.key().orElseThrow(), HOT));
    }

    @Test
    void whatNoMoveStandsBehindFollowsTheFences() {
        assertThat(isolated(100).table(before()).plan().table().orElseThrow().apply(before()))
                .isEqualTo(pinned());
        assertThat(shards(new Sight(), 100)
                        .table(pinned())
                        .plan()
                        .table()
                        .orElseThrow()
                        .apply(pinned()))
                .isEqualTo(before());
    }

    @Test
    void aKeyThatAMoveCarriesIsLeftToItsMove() {
        assertThat(isolated(100)
                        .table(before())
                        .movingKey(KEY, "ds-0", HOT, MovePhase.PUBLISHING)
                        .plan()
                        .table())
                .isEmpty();
    }

    /** The contrast to following the fences: since the shards were looked at somebody has written other pins. */
    @Test
    void anOldLookUndoesNoPinThatWasWrittenSince() {
        var edit = isolated(100).table(before()).plan().table().orElseThrow();
        RoutingTable elsewhere = TableEdits.fold(before(), new TreeMap<>(Map.of(KEY, 4L)), "ds-1");

        assertThat(edit.apply(elsewhere)).isEqualTo(elsewhere);
    }

    /** etcd was restored from a backup of before the pin: routers have the newer table, and are sent to the restored one. */
    @Test
    void aTableThatHasGoneBackIsPublishedAnewWithThePinsOfTheFences() {
        ShardClusterStatus told =
                isolated(100).table(before()).witness("orders-web-7", 1, 99).status();
        Sight restored =
                isolated(100).table(pinned()).witness("orders-web-7", 1, 99).after(told);

        assertThat(restored.plan().table().orElseThrow().apply(before()).pins())
                .isEqualTo(Map.of(KEY.key().orElseThrow(), HOT));
    }

    @Test
    void theDedicatedShardCountsTheKeysThatOnlyTheirRowsGiveIt() {
        ShardClusterStatus status = isolated(100).table(pinned()).status();

        assertThat(status.shards().get(HOT).pins()).isEqualTo(1);
        assertThat(status.shards().get(HOT).buckets()).isZero();
        assertThat(status.shards().get("ds-0").pins()).isNull();
        assertThat(isolated(0).table(pinned()).status().shards().get(HOT).state())
                .isEqualTo(ShardState.DRAINING.wire());
        assertThat(shards(new Sight(), 0)
                        .table(before())
                        .status()
                        .shards()
                        .get(HOT)
                        .state())
                .isEqualTo(ShardState.DRAINED.wire());
    }

    /** Ready is never True while something that somebody asked for is not done. */
    @Test
    void aClusterIsNotReadyWhileAPinIsOpenOrCannotBeObeyed() {
        String pin = "{pins: [{key: '" + KEY.key().orElseThrow() + "', shard: %s}]}";
        ShardClusterStatus open = shards(new Sight(), 100)
                .table(before())
                .hotKeys(pin.formatted(HOT))
                .status();
        ShardClusterStatus unfit = shards(new Sight(), 100)
                .table(before())
                .hotKeys(pin.formatted("ds-1"))
                .status();
        ShardClusterStatus removed = isolated(100).table(pinned()).hotKeys("{}").status();

        for (ConditionType type : new ConditionType[] {ConditionType.BALANCED, ConditionType.READY}) {
            assertThat(reason(open, type)).isEqualTo("False " + Reason.PINS_OPEN.wire());
            assertThat(reason(removed, type)).isEqualTo("False " + Reason.PINS_OPEN.wire());
            assertThat(reason(unfit, type)).isEqualTo("False " + Reason.PIN_UNFIT.wire());
            assertThat(reason(
                            isolated(100)
                                    .table(pinned())
                                    .hotKeys(pin.formatted(HOT))
                                    .status(),
                            type))
                    .startsWith("True");
        }
        assertThat(unfit.nextAction()).contains("spec.hotKeys.pins[0].shard: ds-1 is a General shard");
        assertThat(open.nextAction()).contains("kubectl get shardpolicies");
    }

    private static String reason(ShardClusterStatus status, ConditionType type) {
        var condition = Conditions.find(status.conditions(), type).orElseThrow();
        return condition.status() + " " + condition.reason();
    }

    /** It owns nothing yet, and must not leave the list under the move. */
    @Test
    void aKeyOnItsWayCountsOnTheShardThatItGoesTo() {
        ShardClusterStatus status = shards(new Sight(), 100)
                .table(before())
                .movingKey(KEY, "ds-0", HOT, MovePhase.COPYING)
                .status();

        assertThat(status.shards().get(HOT).pins()).isEqualTo(1);
        assertThat(status.shards().get(HOT).message())
                .contains("owns no bucket and no key")
                .contains("key-1");
    }

    @Test
    void whatIsKnownOfAShardThatDoesNotAnswerStays() {
        ShardClusterStatus known = isolated(100).table(pinned()).status();
        Sight silent = isolated(100)
                .table(pinned())
                .after(known)
                .broken(HOT, io.shardwright.dataplane.ShardSight.Problem.Kind.UNREACHABLE, "it does not answer");

        assertThat(silent.status().shards().get(HOT).pins()).isEqualTo(1);
        assertThat(silent.plan().table()).isEmpty();
    }

    @Test
    void aKeyWithoutAnOwnerAndOneWithTwoAreToldByTheirBucket() {
        for (FenceState state : new FenceState[] {FenceState.IMPORTING, FenceState.OWNED}) {
            Sight sight = shards(
                            new Sight()
                                    .key("ds-0", KEY, state == FenceState.OWNED ? state : FenceState.MOVED, 2)
                                    .key(HOT, KEY, state, 2),
                            100)
                    .table(before());

            var condition = Conditions.find(sight.status().conditions(), ConditionType.FENCE_INSTALLED)
                    .orElseThrow();

            assertThat(condition.reason()).isEqualTo(Reason.OWNERSHIP_UNKNOWN.wire());
            assertThat(condition.message())
                    .startsWith("a key of bucket 0 has fence rows of its own and "
                            + (state == FenceState.OWNED ? "two owners" : "no owner"))
                    .doesNotContain(KEY.key().orElseThrow());
            assertThat(sight.movingKey(KEY, "ds-0", HOT, MovePhase.SWITCHING)
                            .plan()
                            .decision())
                    .isInstanceOf(ClusterPlan.Guarded.class);
        }
    }
}
