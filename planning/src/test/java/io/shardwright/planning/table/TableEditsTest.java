package io.shardwright.planning.table;

import static io.shardwright.planning.table.TableFixture.aTable;
import static io.shardwright.planning.table.TableFixture.shards;
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
import io.shardwright.routing.ShardEntry;
import io.shardwright.routing.ShardRole;
import io.shardwright.routing.TableInvariants;
import io.shardwright.routing.TableOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class TableEditsTest {
    private static final int BUCKETS = 8;

    @Test
    void announcesInGroupsVisibleToNobody() {
        RoutingTable edited = TableEdits.announce(aTable(BUCKETS, 3), List.of(epochs(4, 1, 2), epochs(4, 5)), "ds-4");

        assertThat(edited.handovers())
                .containsExactly(Handover.announced(epochs(4, 1, 2), "ds-4"), Handover.announced(epochs(4, 5), "ds-4"));
        assertThat(edited.bucketMap()).isEqualTo(aTable(BUCKETS, 3).bucketMap());
    }

    @Test
    void publishesToWorkersThenToWebThenFolds() {
        RoutingTable announced = TableEdits.announce(aTable(BUCKETS, 3), List.of(epochs(4, 1, 2)), "ds-4");
        RoutingTable workers = TableEdits.publishToWorkers(announced, epochs(4, 1), "ds-4");
        RoutingTable web = TableEdits.publishToWeb(workers, epochs(4, 1), "ds-4");
        RoutingTable folded = TableEdits.fold(web, epochs(4, 1), "ds-4");

        assertThat(workers.handovers())
                .containsExactly(
                        new Handover(epochs(4, 1), "ds-4", Set.of(Role.WORKER)),
                        Handover.announced(epochs(4, 2), "ds-4"));
        assertThat(web.handovers().get(0).visibleTo()).containsExactlyInAnyOrder(Role.WORKER, Role.WEB);
        assertThat(folded.handovers()).containsExactly(Handover.announced(epochs(4, 2), "ds-4"));
        assertThat(folded.bucketMap().get(1)).isEqualTo("ds-4");
        assertThat(folded.epochs().get(1)).isEqualTo(4);
    }

    @Test
    void publishesWhatWasNeverAnnounced() {
        assertThat(TableEdits.publishToWorkers(aTable(BUCKETS, 3), epochs(4, 6), "ds-4")
                        .handovers())
                .containsExactly(new Handover(epochs(4, 6), "ds-4", Set.of(Role.WORKER)));
    }

    @Test
    void oldNewsChangesNothing() {
        RoutingTable table = aTable(BUCKETS, 3);

        assertThat(TableEdits.announce(table, List.of(epochs(3, 1)), "ds-4")).isSameAs(table);
        assertThat(TableEdits.publishToWorkers(table, epochs(2, 1), "ds-4")).isSameAs(table);
        assertThat(TableEdits.fold(table, epochs(2, 1), "ds-4")).isSameAs(table);
    }

    @Test
    void withdrawnBucketsGoBackEvenWhenTheyWereFolded() {
        RoutingTable folded = TableEdits.fold(
                TableEdits.announce(aTable(BUCKETS, 3), List.of(epochs(4, 1, 2)), "ds-4"), epochs(4, 1), "ds-4");

        RoutingTable withdrawn = TableEdits.withdraw(folded, epochs(5, 1, 2), "ds-0");

        assertThat(withdrawn.handovers()).isEmpty();
        assertThat(withdrawn.bucketMap().values()).containsOnly("ds-0");
        assertThat(withdrawn.epochs().get(1)).isEqualTo(5);
    }

    @Test
    void theHigherFenceEpochWins() {
        Map<String, Map<Integer, FenceRow>> fences = new HashMap<>();
        fences.put("ds-0", rows(BUCKETS, 3));
        fences.put("ds-1", new TreeMap<>());
        own(fences, 2, "ds-1", 6);
        own(fences, 5, "ds-1", 6);

        RoutingTable edited = TableEdits.reconcileOwners(aTable(BUCKETS, 3), Ownership.of(BUCKETS, fences), Set.of(5));

        assertThat(edited.bucketMap().encode()).isEqualTo("ds-0*2,ds-1*1,ds-0*5");
        assertThat(edited.epochs().get(2)).isEqualTo(6);
    }

    @Test
    void aTableThatNamesSomebodyElseWithTheVeryEpochFollowsTheFence() {
        Map<String, Map<Integer, FenceRow>> fences = new HashMap<>();
        fences.put("ds-0", rows(BUCKETS, 3));
        RoutingTable byHand = TableEdits.fold(aTable(BUCKETS, 3), epochs(3, 2, 4), "ds-1");
        assertThat(byHand.bucketMap().encode()).isEqualTo("ds-0*2,ds-1*1,ds-0*1,ds-1*1,ds-0*3");

        RoutingTable edited = TableEdits.reconcileOwners(byHand, Ownership.of(BUCKETS, fences), Set.of(4));

        assertThat(edited.bucketMap().encode()).isEqualTo("ds-0*4,ds-1*1,ds-0*3");
    }

    @Test
    void aShardThatStillOwnsKeepsItsEntry() {
        ShardEntry moved = new ShardEntry(ShardRole.GENERAL, "new-primary.db", 5433);
        SortedMap<String, ShardEntry> wanted = shards("ds-1");
        wanted.put("ds-1", moved);

        RoutingTable edited = TableEdits.reconcileShards(aTable(BUCKETS, 3), wanted);

        assertThat(edited.shards().keySet()).containsExactly("ds-0", "ds-1");
        assertThat(edited.shards()).containsEntry("ds-1", moved);
    }

    @Test
    void aShardThatPinsOrHandoversNameKeepsItsEntry() {
        RoutingTable announced = TableEdits.announce(aTable(BUCKETS, 3), List.of(epochs(4, 1)), "ds-4");
        RoutingTable table = pinned(announced, "42", "ds-3");

        RoutingTable edited = TableEdits.reconcileShards(table, shards("ds-0"));

        assertThat(edited.shards().keySet()).containsExactly("ds-0", "ds-3", "ds-4");
        assertThat(TableEdits.reconcileShards(edited, shards("ds-0"))).isSameAs(edited);
    }

    @Test
    void anOwnerThatIsNotListedIsNotRoutedTo() {
        Map<String, Map<Integer, FenceRow>> fences = new HashMap<>();
        fences.put("ds-0", rows(BUCKETS, 3));
        own(fences, 2, "ds-9", 6);
        RoutingTable table = aTable(BUCKETS, 3);

        assertThat(TableEdits.reconcileOwners(table, Ownership.of(BUCKETS, fences), Set.of()))
                .isSameAs(table);
    }

    @Test
    void aHandoverToAnotherShardStaysAsItIs() {
        RoutingTable table = TableEdits.announce(aTable(BUCKETS, 3), List.of(epochs(4, 1)), "ds-3");

        RoutingTable edited = TableEdits.publishToWorkers(table, epochs(4, 2), "ds-4");

        assertThat(edited.handovers())
                .containsExactly(
                        Handover.announced(epochs(4, 1), "ds-3"),
                        new Handover(epochs(4, 2), "ds-4", Set.of(Role.WORKER)));
    }

    @Test
    void whatWasActivatedWithAHigherEpochIsPublishedWithIt() {
        RoutingTable table = TableEdits.announce(aTable(BUCKETS, 3), List.of(epochs(4, 1, 2)), "ds-4");

        assertThat(TableEdits.publishToWorkers(table, epochs(6, 1, 2), "ds-4").handovers())
                .containsExactly(new Handover(epochs(6, 1, 2), "ds-4", Set.of(Role.WORKER)));
    }

    @Test
    void whatWebProcessesSeeIsNotTakenFromThem() {
        RoutingTable web = TableEdits.publishToWeb(aTable(BUCKETS, 3), epochs(4, 1), "ds-4");

        assertThat(TableEdits.publishToWorkers(web, epochs(4, 1), "ds-4")).isSameAs(web);
    }

    @Test
    void bucketsGoToListedShardsOnly() {
        assertThatThrownBy(() -> TableEdits.announce(aTable(BUCKETS, 3), List.of(epochs(4, 1)), "ds-9"))
                .hasMessage("shard ds-9 is not in the table: reconcile the shards first");
        assertThatThrownBy(() -> TableEdits.fold(aTable(BUCKETS, 3), epochs(4, 1), "ds-9"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theFirstTableComesFromTheFences() {
        Map<String, Map<Integer, FenceRow>> fences = new HashMap<>();
        fences.put("ds-0", rows(BUCKETS, 3));
        own(fences, 7, "ds-1", 9);

        RoutingTable table = first().from(Ownership.of(BUCKETS, fences));

        assertThat(table.bucketMap().encode()).isEqualTo("ds-0*7,ds-1*1");
        assertThat(table.epochs().encode()).isEqualTo("3*7,9*1");
        assertThat(table.order()).isEqualTo(new TableOrder(4, 1, 0));
        assertThat(TableInvariants.checkWrite(null, table)).isEmpty();
    }

    @Test
    void noTableIsGuessed() {
        Map<String, Map<Integer, FenceRow>> fences = new HashMap<>();
        fences.put("ds-0", rows(BUCKETS, 3));
        fences.put("ds-1", new TreeMap<>(Map.of(2, new FenceRow(2, FenceState.OWNED, 4, null, null))));
        Ownership contested = Ownership.of(BUCKETS, fences);
        fences.get("ds-1").clear();
        fences.get("ds-0").remove(6);
        Ownership ownerless = Ownership.of(BUCKETS, fences);

        assertThat(contested.problem().orElseThrow()).startsWith("bucket 2 is owned by ds-0 and ds-1: compare");
        assertThat(ownerless.problem().orElseThrow()).startsWith("1 buckets have no owner, the first is 6");
        assertThatThrownBy(() -> first().from(contested)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> first().from(ownerless)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theFirstContestedBucketIsNamedAndTheRestCounted() {
        Ownership contested =
                Ownership.of(BUCKETS, Map.of("ds-0", rows(BUCKETS, 3), "ds-1", rows(5, 4), "ds-2", rows(1, 5)));

        assertThat(contested.complete()).isFalse();
        assertThat(contested.problem().orElseThrow())
                .startsWith("bucket 0 is owned by ds-0 and ds-1 and ds-2 (and 4 more like it): compare");
        assertThat(Ownership.of(BUCKETS, Map.of("ds-0", rows(BUCKETS, 3))).problem())
                .isEmpty();
    }

    /** Any edits in any order, also senseless ones: the table stays good, epochs only grow, twice is once. */
    @Property(tries = 300)
    void anyHistoryOfEditsKeepsTheInvariants(@ForAll long seed) {
        Random random = new Random(seed);
        RoutingTable table = aTable(BUCKETS, 3);
        for (int i = 0; i < 25; i++) {
            long choice = random.nextLong();
            RoutingTable edited = edit(table, new Random(choice));
            if (edited.shards().keySet().equals(table.shards().keySet())) {
                assertThat(edit(edited, new Random(choice))).isSameAs(edited);
            }
            if (edited == table) {
                continue;
            }
            RoutingTable next = TableFixture.next(edited);
            assertThat(TableInvariants.checkWrite(table, next)).isEmpty();
            for (int bucket = 0; bucket < BUCKETS; bucket++) {
                assertThat(next.epochs().get(bucket))
                        .isGreaterThanOrEqualTo(table.epochs().get(bucket));
            }
            table = next;
        }
    }

    private static RoutingTable edit(RoutingTable table, Random random) {
        List<String> listed = List.copyOf(table.shards().keySet());
        String to = listed.get(random.nextInt(listed.size()));
        SortedMap<Scope, Long> epochs = new TreeMap<>();
        boolean keys = random.nextInt(3) == 0;
        for (int i = 0; i <= random.nextInt(3); i++) {
            int one = random.nextInt(BUCKETS);
            epochs.put(keys ? TableFixture.key(one) : Scope.bucket(one), 1L + random.nextInt(12));
        }
        return switch (random.nextInt(7)) {
            case 0 -> TableEdits.announce(table, List.of(epochs), to);
            case 1 -> TableEdits.publishToWorkers(table, epochs, to);
            case 2 -> TableEdits.publishToWeb(table, epochs, to);
            case 3 -> TableEdits.fold(table, epochs, to);
            case 4 -> TableEdits.withdraw(table, epochs, to);
            case 5 -> TableEdits.reconcileShards(table, shards(to, "ds-" + random.nextInt(6)));
            default -> {
                Map<String, Map<Integer, FenceRow>> fences = new HashMap<>();
                epochs.forEach((scope, epoch) -> own(fences, scope.bucket(), to, epoch));
                yield TableEdits.reconcileOwners(table, Ownership.of(BUCKETS, fences), Set.of());
            }
        };
    }

    private static RoutingTable pinned(RoutingTable table, String key, String shard) {
        return new RoutingTable(
                table.order(),
                table.writerEpoch(),
                table.cluster(),
                table.engine(),
                table.keyType(),
                table.bucketing(),
                table.bucketMap(),
                table.epochs(),
                new TreeMap<>(Map.of(key, shard)),
                table.handovers(),
                table.shards());
    }

    private static FirstTable first() {
        return new FirstTable(
                "orders",
                "PostgreSQL",
                KeyType.INT64,
                new Bucketing(HashFunction.MD5, BUCKETS),
                4,
                1,
                shards("ds-0", "ds-1"));
    }

    private static void own(Map<String, Map<Integer, FenceRow>> fences, int bucket, String shard, long epoch) {
        fences.values().forEach(rows -> rows.remove(bucket));
        fences.computeIfAbsent(shard, name -> new TreeMap<>())
                .put(bucket, new FenceRow(bucket, FenceState.OWNED, epoch, shard, null));
    }

    private static Map<Integer, FenceRow> rows(int buckets, long epoch) {
        Map<Integer, FenceRow> rows = new TreeMap<>();
        for (int bucket = 0; bucket < buckets; bucket++) {
            rows.put(bucket, new FenceRow(bucket, FenceState.OWNED, epoch, "ds-0", null));
        }
        return rows;
    }

    private static SortedMap<Scope, Long> epochs(long epoch, Integer... buckets) {
        SortedMap<Scope, Long> epochs = new TreeMap<>();
        for (int bucket : buckets) {
            epochs.put(Scope.bucket(bucket), epoch);
        }
        return epochs;
    }
}
