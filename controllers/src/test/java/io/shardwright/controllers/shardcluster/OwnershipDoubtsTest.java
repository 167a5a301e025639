package io.shardwright.controllers.shardcluster;

import static io.shardwright.controllers.shardcluster.Sight.guarded;
import static io.shardwright.controllers.shardcluster.Sight.published;
import static io.shardwright.controllers.shardcluster.Sight.row;
import static io.shardwright.controllers.shardcluster.Sight.two;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.controllers.shardcluster.OwnershipDoubts.Found;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.table.TableEdits;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Four buckets; the table leads 0 and 1 to ds-0, 2 and 3 to ds-1. */
class OwnershipDoubtsTest {
    private static final Found NOTHING = new Found(OptionalInt.empty(), OptionalInt.empty());

    /** With the identities of both. */
    private static final ShardClusterStatus KNOWN = guarded().table(published()).status();

    private final OwnershipDoubts doubts = new OwnershipDoubts();

    private Found look(Sight sight) {
        return doubts.look(known(sight).seen());
    }

    private static Sight known(Sight sight) {
        return sight.table(published()).after(KNOWN);
    }

    private Found twice(Sight sight) {
        look(sight);
        return look(again(sight));
    }

    /** The same rows, read once more: a look makes its sights anew. */
    private static Sight again(Sight sight) {
        sight.seen().sight().orElseThrow().shards().forEach((name, one) -> {
            sight.sees(name, one.fenceVersion(), one.fence(), one.problems());
        });
        return sight;
    }

    private static Sight own(Integer[] first, Integer... second) {
        return two().sees("ds-0", 1, first).sees("ds-1", 1, second);
    }

    private static Integer[] of(Integer... buckets) {
        return buckets;
    }

    private static Found found(int contested, int ownerless) {
        return new Found(OptionalInt.of(contested), OptionalInt.of(ownerless));
    }

    private static Map<Integer, FenceRow> fenced(int bucket, String to) {
        Map<Integer, FenceRow> fence = new TreeMap<>();
        fence.put(0, row(0, FenceState.OWNED, 1, "ds-0"));
        fence.put(1, row(1, FenceState.OWNED, 1, "ds-0"));
        fence.put(bucket, row(bucket, FenceState.MOVED, 2, to));
        return fence;
    }

    /** A move to ds-1 has fenced bucket 0, and then the target dies. */
    private static Sight targetIsLost() {
        return two().sees("ds-0", 1, fenced(0, "ds-1"), List.of())
                .broken("ds-1", Problem.Kind.UNREACHABLE, "no answer")
                .moving(0, "ds-1", MovePhase.SWITCHING);
    }

    @Test
    void believesTwoOwnersOrNoneOnlyWhenTwoLooksShowThemOfTheSameBucket() {
        look(own(of(0, 1), 2, 3));

        assertThat(look(own(of(0, 1, 2), 2))).isEqualTo(found(0, 0));
        assertThat(look(own(of(0, 1, 3), 3))).isEqualTo(found(0, 0));
        assertThat(look(own(of(0, 3), 3))).isEqualTo(found(1, 1));
        assertThat(look(own(of(0, 1), 2, 3))).isEqualTo(found(0, 0));
    }

    @Test
    void learnsNothingFromSeeingTheSameLookAgain() {
        ClusterObservation once = known(own(of(0, 1), 1, 2, 3)).seen();

        assertThat(doubts.look(once)).isEqualTo(NOTHING);
        assertThat(doubts.look(once)).isEqualTo(NOTHING);
        assertThat(doubts.look(once.without(Set.of())))
                .as("the same look, marked as outdated or with a shard left out")
                .isEqualTo(NOTHING);
        assertThat(look(own(of(0, 1), 1, 2, 3))).isEqualTo(found(1, 0));
    }

    @Test
    void saysOfNothingThatItIsWellWhileAShardCannotBeRead() {
        look(guarded());

        assertThat(look(two().sees("ds-0", 1, 0, 1).broken("ds-1", Problem.Kind.UNREACHABLE, "no answer")))
                .isEqualTo(NOTHING);
        assertThat(look(guarded())).as("by one look that was whole").isEqualTo(NOTHING);
        assertThat(look(guarded())).isEqualTo(found(0, 0));
        assertThat(doubts.look(guarded().seen())).as("without a table").isEqualTo(NOTHING);
        assertThat(look(own(of(0, 1), 2))).isEqualTo(NOTHING);
        assertThat(look(own(of(0, 1), 2))).isEqualTo(found(0, 1));
    }

    @Test
    void countsABucketThatIsFencedForATargetThatIsLost() {
        assertThat(twice(targetIsLost())).isEqualTo(new Found(OptionalInt.empty(), OptionalInt.of(1)));
    }

    @Test
    void countsItOnWhenTheTargetWasReadBefore() {
        look(guarded());
        look(two().sees("ds-0", 1, fenced(0, "ds-1"), List.of()).sees("ds-1", 1, 2, 3));

        assertThat(look(targetIsLost()).ownerless()).hasValue(1);
    }

    @Test
    void aBucketThatRoutersAreLedToAShardThatIsDownForIsNotWithoutAnOwner() {
        assertThat(twice(two().broken("ds-0", Problem.Kind.UNREACHABLE, "no answer")
                        .sees("ds-1", 1, 2, 3)))
                .isEqualTo(NOTHING);

        SortedMap<Scope, Long> epochs = new TreeMap<>(Map.of(Scope.bucket(0), 2L));
        RoutingTable announced = TableEdits.announce(published(), List.of(epochs), "ds-1");
        RoutingTable visible = TableEdits.publishToWorkers(announced, epochs, "ds-1");
        doubts.look(targetIsLost().table(visible).seen());
        assertThat(doubts.look(targetIsLost().table(visible).seen()).ownerless())
                .as("it was activated there before the shard went down")
                .isEmpty();
    }

    @Test
    void tellsOfTwoOwnersWhateverAThirdShardHides() {
        Sight sight = own(of(0, 1, 2), 2, 3)
                .declared("ds-2")
                .broken("ds-2", Problem.Kind.UNREACHABLE, "no answer")
                .moving(3, "ds-2", MovePhase.COPYING);

        assertThat(twice(sight)).isEqualTo(new Found(OptionalInt.of(1), OptionalInt.empty()));
    }

    @Test
    void aShardThatNobodyNeedsHidesNothing() {
        for (Problem.Kind kind : List.of(Problem.Kind.UNREACHABLE, Problem.Kind.TABLE_MISSING)) {
            Sight sight = own(of(0, 1), 1, 2).declared("ds-2").broken("ds-2", kind, "a typo in its host");

            assertThat(twice(sight)).as(kind.name()).isEqualTo(found(1, 1));
            look(guarded());
        }
    }

    @Test
    void aShardWithAnotherProblemIsRead() {
        Sight sight = two().sees("ds-0", 1, 0, 1)
                .sees(
                        "ds-1",
                        1,
                        Map.of(2, row(2, FenceState.OWNED, 1, "ds-1")),
                        List.of(new Problem(Problem.Kind.SETTINGS, "max_wal_senders is 0")));

        assertThat(twice(sight)).isEqualTo(found(0, 1));
    }

    @Test
    void theRowsOfAFenceOfANewerOperatorAreUnknown() {
        assertThat(twice(two().sees("ds-0", 1, 0, 1).newer("ds-1"))).isEqualTo(NOTHING);
    }

    @Test
    void theRowsOfADatabaseOfAnotherNameAreNotThoseOfTheShard() {
        Sight sight = two().sees("ds-0", 1, 0, 1)
                .leads(
                        "ds-1",
                        "system-of-another",
                        Map.of(0, row(0, FenceState.OWNED, 1, "ds-0"), 1, row(1, FenceState.OWNED, 1, "ds-0")));

        assertThat(twice(sight)).isEqualTo(NOTHING);
    }
}
