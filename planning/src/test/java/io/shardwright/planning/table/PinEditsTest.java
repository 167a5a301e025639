package io.shardwright.planning.table;

import static io.shardwright.planning.table.TableFixture.aTable;
import static io.shardwright.planning.table.TableFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.routing.Bucketing;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Handover;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.Role;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardKey;
import io.shardwright.routing.TableInvariants;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A key on its way to a shard of its own and back, as routers see it. All buckets are owned by ds-0. */
class PinEditsTest {
    private static final int BUCKETS = 8;
    private static final Scope KEY = key(42);
    private static final RoutingTable TABLE = aTable(BUCKETS, 3);
    private static final RoutingTable PINNED = TableEdits.fold(TABLE, epochs(4), "ds-4");

    private final Map<String, Map<Integer, FenceRow>> buckets = new HashMap<>();
    private final Map<String, Map<Scope, FenceRow>> keys = new HashMap<>();

    @Test
    void aKeyIsAnnouncedMadeVisibleAndPinned() {
        RoutingTable announced = TableEdits.announce(TABLE, List.of(epochs(4)), "ds-4");
        RoutingTable workers = TableEdits.publishToWorkers(announced, epochs(4), "ds-4");
        RoutingTable web = TableEdits.publishToWeb(workers, epochs(4), "ds-4");
        RoutingTable folded = TableEdits.fold(web, epochs(4), "ds-4");

        assertThat(announced.handovers()).containsExactly(Handover.announced(epochs(4), "ds-4"));
        assertThat(shards(announced)).containsExactly("ds-0", "ds-0");
        assertThat(shards(workers)).containsExactly("ds-4", "ds-0");
        assertThat(shards(web)).containsExactly("ds-4", "ds-4");
        assertThat(folded.pins()).isEqualTo(Map.of("42", "ds-4"));
        assertThat(folded.handovers()).isEmpty();
        assertThat(TableEdits.fold(folded, epochs(4), "ds-4")).isSameAs(folded);
        assertThat(TableEdits.announce(folded, List.of(epochs(4)), "ds-4")).isSameAs(folded);
    }

    @Test
    void onItsWayBackTheHandoverGoesBeforeThePinAndTheEndTakesThePinAway() {
        RoutingTable workers = TableEdits.publishToWorkers(PINNED, epochs(5), "ds-0");
        RoutingTable folded = TableEdits.fold(workers, epochs(5), "ds-0");

        assertThat(shards(workers)).containsExactly("ds-0", "ds-4");
        assertThat(folded.pins()).isEmpty();
        assertThat(folded.handovers()).isEmpty();
        assertThat(folded.bucketMap()).isEqualTo(TABLE.bucketMap());
        assertThat(folded.epochs()).isEqualTo(TABLE.epochs());
    }

    @Test
    void aMoveOfTheBucketTakesNoPinnedKeyAlong() {
        SortedMap<Scope, Long> bucket = new TreeMap<>(Map.of(KEY.ofBucket(), 4L));
        RoutingTable visible = TableEdits.publishToWeb(PINNED, bucket, "ds-1");
        RoutingTable folded = TableEdits.fold(visible, bucket, "ds-1");

        assertThat(shards(visible)).containsExactly("ds-4", "ds-4");
        assertThat(shards(folded)).containsExactly("ds-4", "ds-4");
        assertThat(folded.bucketMap().get(KEY.bucket())).isEqualTo("ds-1");
    }

    @Test
    void anAbortedMoveLeavesTheKeyWhereItWas() {
        RoutingTable announced = TableEdits.announce(TABLE, List.of(epochs(4)), "ds-4");
        RoutingTable back = TableEdits.announce(PINNED, List.of(epochs(5)), "ds-0");

        assertThat(TableEdits.withdraw(announced, epochs(5), "ds-0")).isEqualTo(TABLE);
        assertThat(TableEdits.withdraw(back, epochs(6), "ds-4")).isEqualTo(PINNED);
    }

    @Test
    void pinsFollowTheRowsOfKeys() {
        owns("ds-0");
        row("ds-0", FenceState.MOVED, 4);
        row("ds-4", FenceState.OWNED, 4);

        assertThat(follow(TABLE, Set.of())).isEqualTo(PINNED);
        assertThat(follow(TABLE, Set.of(KEY))).isSameAs(TABLE);
        assertThat(follow(PINNED, Set.of())).isSameAs(PINNED);
    }

    @Test
    void aPinWhoseRowsAreGoneOrCameHomeIsTakenAway() {
        owns("ds-0");

        assertThat(follow(PINNED, Set.of(KEY))).isSameAs(PINNED);
        assertThat(follow(PINNED, Set.of()).pins()).isEmpty();

        row("ds-4", FenceState.MOVED, 5); // the tombstone that goes afterwards
        assertThat(follow(PINNED, Set.of()).pins()).isEmpty();

        row("ds-0", FenceState.OWNED, 5); // before the row is folded into its bucket's
        assertThat(follow(PINNED, Set.of()).pins()).isEmpty();
    }

    @Test
    void keysWithoutAnOwnerAndWithTwoStayWhereTheyAre() {
        owns("ds-0");
        row("ds-0", FenceState.MOVED, 4);
        row("ds-4", FenceState.IMPORTING, 3);
        assertThat(follow(TABLE, Set.of())).isSameAs(TABLE);
        assertThat(truth().problem().orElseThrow()).contains("1 keys").doesNotContain("42");

        row("ds-4", FenceState.OWNED, 4);
        row("ds-3", FenceState.OWNED, 4);
        assertThat(follow(TABLE, Set.of())).isSameAs(TABLE);
        assertThat(truth().complete()).isFalse();
    }

    /** The bucket is being switched: nobody can tell whether the pin is still needed. */
    @Test
    void aPinStaysWhileItsBucketHasNoOwner() {
        owns("ds-0");
        buckets.get("ds-0").remove(KEY.bucket());

        assertThat(follow(PINNED, Set.of())).isSameAs(PINNED);
    }

    @Test
    void theFirstTableHasThePinsThatTheFencesShow() {
        owns("ds-0");
        row("ds-0", FenceState.MOVED, 4);
        row("ds-4", FenceState.OWNED, 4);

        RoutingTable table = first();

        assertThat(table.pins()).isEqualTo(Map.of("42", "ds-4"));
        assertThat(TableInvariants.checkWrite(null, table)).isEmpty();
        row("ds-3", FenceState.OWNED, 9);
        assertThatThrownBy(this::first).isInstanceOf(IllegalArgumentException.class);
    }

    private RoutingTable first() {
        return new FirstTable(
                        "orders",
                        "PostgreSQL",
                        KeyType.INT64,
                        new Bucketing(HashFunction.MD5, BUCKETS),
                        1,
                        1,
                        TableFixture.shards("ds-0", "ds-3", "ds-4"))
                .from(truth());
    }

    private RoutingTable follow(RoutingTable table, Set<Scope> moving) {
        return TableEdits.reconcilePins(table, truth(), moving);
    }

    private Ownership truth() {
        return Ownership.of(BUCKETS, buckets, keys);
    }

    private void owns(String shard) {
        for (String other : List.of("ds-0", "ds-3", "ds-4")) {
            buckets.put(other, new TreeMap<>());
        }
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            buckets.get(shard).put(bucket, new FenceRow(bucket, FenceState.OWNED, 3, shard, null));
        }
    }

    private void row(String shard, FenceState state, long epoch) {
        keys.computeIfAbsent(shard, any -> new TreeMap<>()).put(KEY, new FenceRow(KEY, state, epoch, "ds-4", null));
    }

    private static List<String> shards(RoutingTable table) {
        ShardKey key = ShardKey.of(KeyType.INT64, 42);
        return List.of(
                table.route(key, Role.WORKER).shard(),
                table.route(key, Role.WEB).shard());
    }

    private static SortedMap<Scope, Long> epochs(long epoch) {
        return new TreeMap<>(Map.of(KEY, epoch));
    }
}
